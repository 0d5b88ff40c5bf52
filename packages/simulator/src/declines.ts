/** Decline codes by network response code, for the `decline` of a record. No side effects. */
import type { Decline } from './protocol.ts'

// biome-ignore format: a table.
const codes: readonly (readonly [code: string, networkCodes: string])[] = [
  ['issuer_unavailable',        '91 92'],
  ['network_unavailable',       '90'],
  ['processing_error',          '06 96'],
  ['reentry_requested',         '19'],
  ['invalid_merchant',          '03'],
  ['not_permitted_to_merchant', '58'],
  ['amount_not_supported',      '13'],
  ['provider_request_invalid',  '30'],
  ['do_not_honor',              '05'],
  ['insufficient_funds',        '51'],
  ['amount_limit_exceeded',     '61'],
  ['frequency_limit_exceeded',  '65'],
  ['restricted_card',           '36 62'],
  ['blocked_by_issuer',         '5C'],
  ['call_issuer',               '01 02'],
  ['blocked_by_cardholder',     '9G'],
  ['first_use_blocked',         '78'],
  ['pin_tries_exceeded',        '75'],
  ['lost_card',                 '41'],
  ['stolen_card',               '43'],
  ['pick_up_card',              '04 07'],
  ['account_closed',            '46'],
  ['no_such_issuer',            '15'],
  ['invalid_transaction',       '12'],
  ['transaction_not_permitted', '57'],
  ['legal_restriction',         '93'],
  ['recurring_stopped',         'R0 R1 R3'],
  ['expired_card',              '54'],
  ['invalid_number',            '14'],
  ['incorrect_cvc',             '82 N7'],
  ['incorrect_pin',             '55'],
  ['authentication_required',   '70 1A'],
  ['suspected_fraud',           '34 59 83'],
  ['security_violation',        '63'],
]

export const codeByNetworkCode: ReadonlyMap<string, string> = new Map(
  codes.flatMap(([code, networkCodes]) => networkCodes.split(' ').map((networkCode) => [networkCode, code])),
)

export function declineOfNetwork(networkCode: string): Decline {
  const code = codeByNetworkCode.get(networkCode) ?? 'generic_decline'
  return { code, network_code: networkCode, message: `Declined with network code ${networkCode}.` }
}

/** Mastercard advice codes say whether and when to retry; 24 to 30 say how long to wait for funds. */
export function declineOfAdvice(adviceCode: string): Decline {
  const message = `Declined with advice code ${adviceCode}.`
  if (adviceCode === '03') {
    return { code: 'issuer_never_approves', network_code: '05', advice_code: adviceCode, message }
  }
  if (adviceCode === '21') {
    return { code: 'recurring_stopped', network_code: '05', advice_code: adviceCode, message }
  }
  const networkCode = /^(2[4-9]|30)$/.test(adviceCode) ? '51' : '05'
  return { ...declineOfNetwork(networkCode), advice_code: adviceCode, message }
}

export function declineOfCode(code: string): Decline {
  return { code, message: `Declined: ${code.replaceAll('_', ' ')}.` }
}
