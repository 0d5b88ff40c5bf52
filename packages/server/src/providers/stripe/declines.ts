/** Translates the decline codes of Stripe to our codes. Keyed by codes, never by messages. */
import type { DeclineTable } from '../connector-page.ts'
import type { Decline } from '../contract.ts'
import { codeWithAdvice, type DeclineCode, declineOf, isDuplicateNotice } from '../declines.ts'
import type { StripeError } from './wire.ts'

/**
 * The card decline codes of docs.stripe.com/declines/codes, from a public copy of 2026-09. The mapping to our
 * codes is our own. `duplicate_transaction` is not in the table: see `isDuplicate`.
 */
// biome-ignore format: a table.
const declineCodes: Readonly<Record<string, DeclineCode>> = {
  approve_with_id: 'call_issuer',
  authentication_not_handled: 'authentication_required',
  authentication_required: 'authentication_required',
  call_issuer: 'call_issuer',
  card_not_supported: 'card_not_supported',
  card_velocity_exceeded: 'amount_limit_exceeded',
  currency_not_supported: 'currency_not_supported',
  do_not_honor: 'do_not_honor',
  do_not_try_again: 'issuer_never_approves',
  expired_card: 'expired_card',
  fraudulent: 'suspected_fraud',
  generic_decline: 'generic_decline',
  incorrect_address: 'incorrect_address',
  incorrect_cvc: 'incorrect_cvc',
  incorrect_number: 'invalid_number',
  incorrect_pin: 'incorrect_pin',
  incorrect_zip: 'incorrect_address',
  insufficient_funds: 'insufficient_funds',
  invalid_account: 'account_closed',
  invalid_amount: 'amount_not_supported',
  invalid_cvc: 'incorrect_cvc',
  invalid_expiry_month: 'invalid_expiry',
  invalid_expiry_year: 'invalid_expiry',
  invalid_number: 'invalid_number',
  invalid_pin: 'incorrect_pin',
  issuer_not_available: 'issuer_unavailable',
  lost_card: 'lost_card',
  merchant_blacklist: 'blocked_by_provider',
  mobile_device_authentication_required: 'authentication_required',
  new_account_information_available: 'account_closed',
  no_action_taken: 'generic_decline',
  not_permitted: 'transaction_not_permitted',
  offline_pin_required: 'authentication_required',
  online_or_offline_pin_required: 'authentication_required',
  pickup_card: 'pick_up_card',
  pin_try_exceeded: 'pin_tries_exceeded',
  processing_error: 'processing_error',
  reenter_transaction: 'reentry_requested',
  restricted_card: 'restricted_card',
  revocation_of_all_authorizations: 'recurring_stopped',
  revocation_of_authorization: 'recurring_stopped',
  security_violation: 'security_violation',
  service_not_allowed: 'transaction_not_permitted',
  stolen_card: 'stolen_card',
  stop_payment_order: 'recurring_stopped',
  testmode_decline: 'card_not_supported',
  transaction_not_allowed: 'transaction_not_permitted',
  try_again_later: 'do_not_honor',
  withdrawal_count_limit_exceeded: 'frequency_limit_exceeded',
}

/** Error codes of card errors that have no decline code, from the error codes of npm package `stripe` 23.1. */
// biome-ignore format: a table.
const cardErrorCodes: Readonly<Record<string, DeclineCode>> = {
  authentication_required: 'authentication_required',
  card_decline_rate_limit_exceeded: 'frequency_limit_exceeded',
  expired_card: 'expired_card',
  incorrect_address: 'incorrect_address',
  incorrect_cvc: 'incorrect_cvc',
  incorrect_number: 'invalid_number',
  incorrect_zip: 'incorrect_address',
  insufficient_funds: 'insufficient_funds',
  invalid_cvc: 'incorrect_cvc',
  invalid_expiry_month: 'invalid_expiry',
  invalid_expiry_year: 'invalid_expiry',
  invalid_number: 'invalid_number',
  processing_error: 'processing_error',
}

/** Error codes that report a failed attempt although the type of the error is not `card_error`. */
// biome-ignore format: a table.
const failedAttemptCodes: Readonly<Record<string, DeclineCode>> = {
  payment_intent_authentication_failure: 'authentication_failed',
  payment_intent_payment_attempt_expired: 'authentication_abandoned',
  payment_intent_payment_attempt_failed: 'generic_decline',
  payment_method_customer_decline: 'authentication_failed',
  payment_method_provider_decline: 'generic_decline',
  payment_method_provider_timeout: 'issuer_unavailable',
  setup_attempt_failed: 'generic_decline',
  setup_intent_authentication_failure: 'authentication_failed',
  setup_intent_setup_attempt_expired: 'authentication_abandoned',
}

/** The failure codes of charges that debit a bank account. */
// biome-ignore format: a table.
const debitFailures: Readonly<Record<string, DeclineCode>> = {
  account_closed: 'account_closed',
  authorization_revoked: 'recurring_stopped',
  bank_account_restricted: 'transaction_not_permitted',
  branch_does_not_exist: 'no_such_issuer',
  debit_authorization_not_match: 'recurring_stopped',
  debit_disputed: 'recurring_stopped',
  debit_not_authorized: 'recurring_stopped',
  generic_could_not_process: 'generic_decline',
  incorrect_account_holder_name: 'invalid_number',
  invalid_account_number: 'invalid_number',
  recipient_deceased: 'account_closed',
  refer_to_customer: 'do_not_honor',
}

/** The failure reasons of refunds, from the type `Refund` of npm package `stripe` 23.1. */
// biome-ignore format: a table.
const refundFailures: Readonly<Record<string, DeclineCode>> = {
  charge_for_pending_refund_disputed: 'invalid_transaction',
  declined: 'generic_decline',
  expired_or_canceled_card: 'expired_card',
  insufficient_funds: 'insufficient_funds',
  lost_or_stolen_card: 'lost_card',
  merchant_request: 'generic_decline',
}

export const declineTables: readonly DeclineTable[] = [
  {
    title: '`decline_code` of a card error',
    codes: Object.entries(declineCodes),
    others: 'the next table',
    inconclusive: ['duplicate_transaction'],
  },
  {
    title: '`code` of a card error without a known `decline_code`',
    codes: Object.entries(cardErrorCodes),
    others: '`generic_decline`',
  },
  {
    title: '`code` of other errors',
    codes: Object.entries(failedAttemptCodes),
    others: 'not a decline',
  },
  {
    title: '`failure_code` of a charge that debits a bank account',
    codes: Object.entries(debitFailures),
    others: 'the tables above',
  },
  {
    title: '`failure_reason` of a refund',
    codes: Object.entries(refundFailures),
    others: '`generic_decline`',
  },
]

/** The decline that the error reports; null if the error does not report a decline. */
export function declineIn(error: StripeError): Decline | null {
  const baseCode = error.type === 'card_error' ? cardErrorCode(error) : lookUp(failedAttemptCodes, error.code)
  if (baseCode === null) return null
  const isMastercard = error.payment_method?.card?.brand === 'mastercard'
  const adviceCode = isMastercard ? (error.network_advice_code ?? '') : ''
  return {
    code: withStripeAdvice(codeWithAdvice(baseCode, adviceCode), error.advice_code ?? ''),
    ...(error.network_decline_code ? { networkCode: error.network_decline_code } : {}),
    ...(adviceCode === '' ? {} : { adviceCode }),
    ...(error.message ? { message: error.message } : {}),
  }
}

/** Whether the card was declined as a duplicate, which may be a duplicate of our own request. */
export function isDuplicate({ decline_code, network_decline_code }: StripeError): boolean {
  return decline_code === 'duplicate_transaction' || isDuplicateNotice(network_decline_code ?? '')
}

/** The decline of a debit that the bank rejected; null if the code is not about a bank account. */
export function debitDecline(failureCode: string): Decline | null {
  const code = lookUp(debitFailures, failureCode)
  return code === null ? null : { code, message: failureCode }
}

export function refundDecline(failureReason: string): Decline {
  const code = lookUp(refundFailures, failureReason) ?? 'generic_decline'
  return failureReason === '' ? { code } : { code, message: failureReason }
}

/** A decline code that is not in the table is new, so its reason is unknown. */
function cardErrorCode({ code, decline_code }: StripeError): DeclineCode {
  return lookUp(declineCodes, decline_code) ?? lookUp(cardErrorCodes, code) ?? 'generic_decline'
}

/** Card networks charge a fee for retries that the issuer has forbidden. */
function withStripeAdvice(code: DeclineCode, advice: string): DeclineCode {
  return advice === 'do_not_try_again' && declineOf(code).class === 'soft' ? 'issuer_never_approves' : code
}

function lookUp(
  table: Readonly<Record<string, DeclineCode>>,
  code: string | null | undefined,
): DeclineCode | null {
  return code && Object.hasOwn(table, code) ? (table[code] ?? null) : null
}
