/** The processor response codes of declines (Orders v2, `processor_response`). No side effects. */
import type { Decline } from '../../protocol.ts'

// biome-ignore format: a table.
const responseCodes: { readonly [code: string]: string } = {
  account_closed: '5140',        amount_limit_exceeded: 'PPAX',    amount_not_supported: '1310',
  authentication_failed: '7710', authentication_required: '5650',  authentication_unavailable: '7700',
  blocked_by_issuer: '10BR',     call_issuer: '0100',              do_not_honor: '0500',
  expired_card: '5400',          first_use_blocked: '5930',        frequency_limit_exceeded: '5710',
  incorrect_cvc: '5110',         incorrect_pin: '5130',            insufficient_funds: '5120',
  invalid_merchant: '1350',      invalid_number: '1330',           invalid_transaction: '5210',
  issuer_never_approves: '0500', issuer_unavailable: '5920',       lost_card: '9520',
  network_unavailable: '8100',   no_such_issuer: '5900',           not_permitted_to_merchant: '5700',
  pick_up_card: '5150',          pin_tries_exceeded: '5135',       processing_error: '0960',
  provider_request_invalid: '1300', recurring_stopped: '0R00',     reentry_requested: '9100',
  restricted_card: '5180',       security_violation: '9510',       stolen_card: '9520',
  suspected_fraud: '9500',       transaction_not_permitted: '5700',
}

/** "Duplicate transaction." */
export const duplicateCode = '5200'

/** Other declines of the issuer are `5100`, a generic decline. */
export function processorResponseOf(decline: Decline | undefined): object {
  if (decline === undefined) return { avs_code: 'Y', cvv_code: 'M', response_code: '0000' }
  const { code, advice_code: advice } = decline
  return {
    avs_code: 'Y',
    cvv_code: code === 'incorrect_cvc' ? 'N' : 'M',
    response_code: responseCodes[code] ?? '5100',
    ...(advice === undefined ? {} : { payment_advice_code: advice }),
  }
}
