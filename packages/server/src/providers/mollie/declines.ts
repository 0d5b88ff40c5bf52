/** Maps Mollie's reasons for failed card payments to our decline codes. */
import type { DeclineTable } from '../connector-page.ts'
import type { DeclineCode } from '../declines.ts'

/** `details.failureReason` of a failed card payment. */
// biome-ignore format: a table.
const failureReasons: Readonly<Record<string, DeclineCode>> = {
  authentication_abandoned:       'authentication_abandoned',
  authentication_failed:          'authentication_failed',
  authentication_required:        'authentication_required',
  authentication_unavailable_acs: 'authentication_unavailable',
  card_declined:                  'generic_decline',
  card_expired:                   'expired_card',
  inactive_card:                  'restricted_card',
  insufficient_funds:             'insufficient_funds',
  invalid_cvv:                    'incorrect_cvc',
  // Switchyard has no decline code for the cardholder name. The payer is advised to check the card details.
  invalid_card_holder_name:       'invalid_number',
  invalid_card_number:            'invalid_number',
  invalid_card_type:              'card_not_supported',
  possible_fraud:                 'suspected_fraud',
  refused_by_issuer:              'do_not_honor',
  unknown_reason:                 'generic_decline',
}

/** `statusReason.code`: the response of the card network or of the acquirer. Other codes are generic declines. */
// biome-ignore format: a table.
const statusReasons: Readonly<Record<string, DeclineCode>> = {
  additional_customer_authentication_required: 'authentication_required',
  allowable_number_of_pin_tries_exceeded:      'pin_tries_exceeded',
  blocked_first_used:                          'first_use_blocked',
  capture_card:                                'pick_up_card',
  card_authentication_failed:                  'authentication_failed',
  closed_account:                              'account_closed',
  contact_card_issuer:                         'call_issuer',
  credit_issuer_unavailable:                   'issuer_unavailable',
  decline_for_cvv2_failure:                    'incorrect_cvc',
  do_not_honor:                                'do_not_honor',
  error:                                       'processing_error',
  exceeds_withdrawal_amount_limit:             'amount_limit_exceeded',
  exceeds_withdrawal_count_limit:              'frequency_limit_exceeded',
  expired_card:                                'expired_card',
  fraud_security_related:                      'suspected_fraud',
  insufficient_funds:                          'insufficient_funds',
  invalid_account_number:                      'invalid_number',
  invalid_amount:                              'amount_not_supported',
  invalid_card_number:                         'invalid_number',
  invalid_currency:                            'currency_not_supported',
  invalid_issuer:                              'no_such_issuer',
  invalid_merchant:                            'invalid_merchant',
  invalid_pin:                                 'incorrect_pin',
  invalid_transaction:                         'invalid_transaction',
  issuer_unavailable:                          'issuer_unavailable',
  lost_card:                                   'lost_card',
  merchant_account_closed:                     'invalid_merchant',
  merchant_id_not_found:                       'invalid_merchant',
  pick_up_card_special_condition:              'pick_up_card',
  re_enter_transaction:                        'reentry_requested',
  refer_to_card_issuer_special_condition:      'call_issuer',
  restricted_card:                             'restricted_card',
  revocation_of_all_authorizations:            'recurring_stopped',
  revocation_of_authorization:                 'recurring_stopped',
  security_violation:                          'security_violation',
  stolen_card:                                 'stolen_card',
  stop_payment_order:                          'recurring_stopped',
  suspected_fraud:                             'suspected_fraud',
  system_malfunction:                          'processing_error',
  transaction_not_permitted_to_cardholder:     'transaction_not_permitted',
  violation_of_law:                            'legal_restriction',
}

/**
 * These codes contradict a failure: the first two report an approval, and a duplicate may be a duplicate of our own
 * request.
 */
const contradictions: readonly string[] = [
  'approved_or_completed_successfully',
  'vip_approval',
  'duplicate_transaction',
]

export const declineTables: readonly DeclineTable[] = [
  {
    title: '`details.failureReason` of a payment',
    codes: Object.entries(failureReasons),
    others: 'the next table',
  },
  {
    title: '`statusReason.code` of a payment without a known failure reason',
    codes: Object.entries(statusReasons),
    others: '`generic_decline`',
    inconclusive: contradictions,
  },
]

/** Our code for the reasons why a payment failed. Null if they contradict the failure. */
export function declineCodeOf(failureReason: string | null, statusReason: string | null): DeclineCode | null {
  if (statusReason !== null && contradictions.includes(statusReason)) return null
  return codeIn(failureReasons, failureReason) ?? codeIn(statusReasons, statusReason) ?? 'generic_decline'
}

function codeIn(
  codes: Readonly<Record<string, DeclineCode>>,
  reason: string | null,
): DeclineCode | undefined {
  return reason !== null && Object.hasOwn(codes, reason) ? codes[reason] : undefined
}
