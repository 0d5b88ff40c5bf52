/**
 * The decline table: the reasons for declines, and which retries are allowed. It is keyed by codes, never by
 * messages. `same` is another attempt at this account now, `cascade` one at another account, `later` one
 * by dunning.
 */

export type DeclineClass =
  | 'technical'
  | 'configuration'
  | 'soft'
  | 'hard'
  | 'data'
  | 'authentication'
  | 'fraud'

/** The advice for the payer. `wait` is for an unknown outcome. */
export type Advice = keyof typeof payerTexts

export type DeclineRule = {
  readonly class: DeclineClass
  readonly same: 'no' | 'once' | 'once_with_3ds'
  readonly cascade: 'no' | 'once' | 'yes'
  readonly later: 'no' | 'yes' | 'new_card' | 'after_window' | 'payer'
  readonly advice: Exclude<Advice, 'wait'>
  /** The account is misconfigured: raise an alarm. */
  readonly alarm: boolean
  /** Only Switchyard itself sets this code: it is not accepted from a provider. */
  readonly ours: boolean
}

export type DeclineCode = (typeof rows)[number]['codes'][number]

/** Never mentions lost, stolen or fraud: the person holding the card may be the thief. */
export const payerTexts = {
  try_again: 'Nothing was charged. Try again.',
  try_later: 'Nothing was charged. Try again in a few minutes.',
  other_method: 'Your bank declined this payment. Use another card.',
  card_limit: 'This card was declined too often, so we did not contact your bank again. Use another card.',
  contact_bank: 'Your bank declined this payment. Call the number on your card first.',
  contact_merchant: 'This cannot be paid here. Contact the seller.',
  check_details: 'Check the card details.',
  update_card: 'This card has expired.',
  authenticate: 'Your bank could not confirm it was you.',
  wait: 'We are checking with your bank. Do not pay again.',
} as const

// biome-ignore format: a table.
const rows = [
  { class: 'technical',      same: 'no',            cascade: 'yes',  later: 'yes',          advice: 'try_later',
    codes: ['issuer_unavailable', 'provider_error', 'provider_rate_limited', 'network_unavailable'] },
  { class: 'technical',      same: 'once',          cascade: 'yes',  later: 'yes',          advice: 'try_again',
    codes: ['processing_error', 'reentry_requested', 'authentication_unavailable', 'stored_credential_invalid'] },
  { class: 'configuration',  same: 'no',            cascade: 'yes',  later: 'yes',          advice: 'contact_merchant', alarm: true,
    codes: ['provider_credentials_invalid', 'invalid_merchant', 'not_permitted_to_merchant'] },
  { class: 'configuration',  same: 'no',            cascade: 'yes',  later: 'no',           advice: 'other_method',
    codes: ['currency_not_supported', 'card_not_supported', 'amount_not_supported', 'provider_request_invalid'] },
  { class: 'configuration',  same: 'no',            cascade: 'no',   later: 'yes',          advice: 'contact_merchant', ours: true,
    codes: ['no_eligible_provider'] },
  // Another account would use the same card vault.
  { class: 'technical',      same: 'no',            cascade: 'no',   later: 'yes',          advice: 'try_later', ours: true,
    codes: ['vault_unavailable'] },
  { class: 'configuration',  same: 'no',            cascade: 'no',   later: 'yes',          advice: 'contact_merchant', ours: true,
    codes: ['vault_rejected'] },
  { class: 'soft',           same: 'no',            cascade: 'once', later: 'yes',          advice: 'other_method',
    codes: ['do_not_honor', 'generic_decline'] },
  { class: 'soft',           same: 'no',            cascade: 'no',   later: 'yes',          advice: 'other_method',
    codes: ['insufficient_funds', 'amount_limit_exceeded', 'frequency_limit_exceeded', 'restricted_card', 'blocked_by_issuer'] },
  { class: 'soft',           same: 'no',            cascade: 'no',   later: 'yes',          advice: 'contact_bank',
    codes: ['call_issuer', 'blocked_by_cardholder', 'first_use_blocked', 'pin_tries_exceeded'] },
  // The bank has returned a debit that it had confirmed.
  { class: 'soft',           same: 'no',            cascade: 'no',   later: 'yes',          advice: 'other_method', ours: true,
    codes: ['debit_returned'] },
  { class: 'hard',           same: 'no',            cascade: 'no',   later: 'no',           advice: 'other_method',
    codes: ['lost_card', 'stolen_card', 'pick_up_card', 'account_closed', 'no_such_issuer', 'invalid_transaction',
            'transaction_not_permitted', 'legal_restriction', 'issuer_never_approves'] },
  { class: 'hard',           same: 'no',            cascade: 'no',   later: 'no',           advice: 'contact_merchant',
    codes: ['recurring_stopped'] },
  { class: 'hard',           same: 'no',            cascade: 'no',   later: 'new_card',     advice: 'update_card',
    codes: ['expired_card'] },
  { class: 'hard',           same: 'no',            cascade: 'no',   later: 'after_window', advice: 'card_limit', ours: true,
    codes: ['retry_limit_reached'] },
  { class: 'data',           same: 'no',            cascade: 'no',   later: 'payer',        advice: 'check_details',
    codes: ['invalid_number', 'invalid_expiry', 'incorrect_cvc', 'incorrect_address', 'incorrect_pin'] },
  { class: 'authentication', same: 'once_with_3ds', cascade: 'no',   later: 'payer',        advice: 'authenticate',
    codes: ['authentication_required'] },
  { class: 'authentication', same: 'no',            cascade: 'no',   later: 'payer',        advice: 'authenticate',
    codes: ['authentication_failed', 'authentication_abandoned'] },
  { class: 'fraud',          same: 'no',            cascade: 'no',   later: 'no',           advice: 'other_method',
    codes: ['suspected_fraud', 'blocked_by_provider', 'security_violation'] },
  { class: 'fraud',          same: 'no',            cascade: 'no',   later: 'no',           advice: 'other_method', ours: true,
    codes: ['blocked_by_rule'] },
] as const

const rules: ReadonlyMap<string, DeclineRule> = new Map(
  rows.flatMap(({ codes, ...rule }) => codes.map((code) => [code, { alarm: false, ours: false, ...rule }])),
)

export const declineCodes: readonly DeclineCode[] = rows.flatMap(({ codes }): readonly DeclineCode[] => codes)

/** The rule of a code. Unknown codes are generic declines. */
export function declineOf(code: string): DeclineRule {
  return rules.get(code) ?? (rules.get('generic_decline') as DeclineRule)
}

/** Whether a provider may report this code. */
export function isProviderCode(code: string): code is DeclineCode {
  return rules.get(code)?.ours === false
}

// biome-ignore format: a table.
const networkCodes: Readonly<Record<string, DeclineCode>> = {
  '01': 'call_issuer',         '02': 'call_issuer',            '03': 'invalid_merchant',
  '04': 'pick_up_card',        '05': 'do_not_honor',           '06': 'processing_error',
  '07': 'pick_up_card',        '12': 'invalid_transaction',    '13': 'amount_not_supported',
  '14': 'invalid_number',      '15': 'no_such_issuer',         '19': 'reentry_requested',
  '30': 'provider_request_invalid', '34': 'suspected_fraud',   '36': 'restricted_card',
  '41': 'lost_card',           '43': 'stolen_card',            '46': 'account_closed',
  '51': 'insufficient_funds',  '54': 'expired_card',           '55': 'incorrect_pin',
  '57': 'transaction_not_permitted', '58': 'not_permitted_to_merchant', '59': 'suspected_fraud',
  '5C': 'blocked_by_issuer',   '61': 'amount_limit_exceeded',  '62': 'restricted_card',
  '63': 'security_violation',  '65': 'frequency_limit_exceeded', '70': 'authentication_required',
  '75': 'pin_tries_exceeded',  '78': 'first_use_blocked',      '82': 'incorrect_cvc',
  '83': 'suspected_fraud',     '90': 'network_unavailable',    '91': 'issuer_unavailable',
  '92': 'issuer_unavailable',  '93': 'legal_restriction',      '96': 'processing_error',
  '9G': 'blocked_by_cardholder', '1A': 'authentication_required', 'N7': 'incorrect_cvc',
  'R0': 'recurring_stopped',   'R1': 'recurring_stopped',      'R3': 'recurring_stopped',
}

type MastercardAdvice = { readonly code?: DeclineCode; readonly notBeforeHours?: number }

/** Mastercard advice codes: do not retry, or wait at least this long. */
// biome-ignore format: a table.
const mastercardAdvice: ReadonlyMap<string, MastercardAdvice> = new Map([
  ['03', { code: 'issuer_never_approves' }],
  ['21', { code: 'recurring_stopped' }],
  ['24', { notBeforeHours: 1 }],
  ['25', { notBeforeHours: 24 }],
  ['26', { notBeforeHours: 2 * 24 }],
  ['27', { notBeforeHours: 4 * 24 }],
  ['28', { notBeforeHours: 6 * 24 }],
  ['29', { notBeforeHours: 8 * 24 }],
  ['30', { notBeforeHours: 10 * 24 }],
])

/**
 * Our code for a network code. Mastercard also sends an advice code, which takes precedence unless the code
 * itself is final, as for a stolen card.
 */
export function codeOfNetwork(network: string, code: string, advice?: string): DeclineCode {
  const known = (Object.hasOwn(networkCodes, code) ? networkCodes[code] : undefined) ?? 'generic_decline'
  return network === 'mastercard' && advice !== undefined ? codeWithAdvice(known, advice) : known
}

/** The code after applying the Mastercard advice. */
export function codeWithAdvice(code: DeclineCode, advice: string): DeclineCode {
  const isFinal = ['hard', 'fraud'].includes(declineOf(code).class)
  return isFinal ? code : (mastercardAdvice.get(advice)?.code ?? code)
}

/** How long Mastercard forbids another attempt, or null. */
export function notBeforeHours(advice: string): number | null {
  return mastercardAdvice.get(advice)?.notBeforeHours ?? null
}

/** "Duplicate transmission" (94) may refer to our own first request, which may have succeeded. */
export function isDuplicateNotice(networkCode: string): boolean {
  return networkCode === '94'
}
