/** Translates declines of the simulator to card errors of Stripe. No side effects. */
import type { Decline } from '../../protocol.ts'

/** Decline codes of the simulator and their codes at Stripe. All other declines are `generic_decline`. */
// biome-ignore format: a table.
const declineCodes: { readonly [code: string]: string } = {
  account_closed: 'invalid_account',
  amount_limit_exceeded: 'card_velocity_exceeded',
  amount_not_supported: 'invalid_amount',
  authentication_required: 'authentication_required',
  authentication_unavailable: 'issuer_not_available',
  blocked_by_issuer: 'restricted_card',
  call_issuer: 'call_issuer',
  do_not_honor: 'do_not_honor',
  duplicate_transaction: 'duplicate_transaction',
  expired_card: 'expired_card',
  frequency_limit_exceeded: 'withdrawal_count_limit_exceeded',
  incorrect_cvc: 'incorrect_cvc',
  incorrect_pin: 'incorrect_pin',
  insufficient_funds: 'insufficient_funds',
  invalid_number: 'incorrect_number',
  issuer_never_approves: 'do_not_honor',
  issuer_unavailable: 'issuer_not_available',
  lost_card: 'lost_card',
  network_unavailable: 'issuer_not_available',
  not_permitted_to_merchant: 'not_permitted',
  pick_up_card: 'pickup_card',
  pin_tries_exceeded: 'pin_try_exceeded',
  processing_error: 'processing_error',
  recurring_stopped: 'revocation_of_authorization',
  reentry_requested: 'reenter_transaction',
  restricted_card: 'restricted_card',
  security_violation: 'security_violation',
  stolen_card: 'stolen_card',
  suspected_fraud: 'fraudulent',
  transaction_not_permitted: 'transaction_not_allowed',
}

/** The decline codes that are also error codes. All others have the error code `card_declined`. */
const errorCodes = [
  'authentication_required',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'processing_error',
]

/** Failed authentication is not a card error. There is no charge. */
const authenticationCodes: { readonly [code: string]: readonly [payment: string, setup: string] } = {
  authentication_failed: ['payment_intent_authentication_failure', 'setup_intent_authentication_failure'],
  authentication_abandoned: ['payment_intent_payment_attempt_expired', 'setup_intent_setup_attempt_expired'],
}

export function isAuthenticationFailure({ code }: Decline): boolean {
  return Object.hasOwn(authenticationCodes, code)
}

/** The members of the error that identify the reason. */
export function cardErrorOf(decline: Decline, isSetup: boolean): { readonly [name: string]: string } {
  const { code, network_code, advice_code, message } = decline
  const authentication = authenticationCodes[code]
  if (authentication !== undefined)
    return { type: 'invalid_request_error', code: authentication[isSetup ? 1 : 0], message }
  const declineCode = declineCodes[code] ?? 'generic_decline'
  return {
    type: 'card_error',
    code: errorCodes.includes(declineCode) ? declineCode : 'card_declined',
    decline_code: declineCode,
    message,
    ...(network_code === undefined ? {} : { network_decline_code: network_code }),
    ...(advice_code === undefined ? {} : adviceOf(advice_code)),
  }
}

function adviceOf(code: string): { readonly [name: string]: string } {
  const mayRetry = !['03', '21'].includes(code)
  return { network_advice_code: code, advice_code: mayRetry ? 'try_again_later' : 'do_not_try_again' }
}
