/**
 * Response codes of Checkout.com. 10xxx: approved. 20xxx: soft decline. 30xxx: hard decline. 4xxxx: risk. 50xxx: Checkout.com
 * declined the refund or payout.
 */
import type { DeclineTable } from '../connector-page.ts'
import type { Decline, Outcome } from '../contract.ts'
import { codeWithAdvice, type DeclineCode } from '../declines.ts'

// biome-ignore format: a table.
const codes: Readonly<Record<string, DeclineCode>> = {
  '20001': 'call_issuer',              '20002': 'call_issuer',              '20003': 'invalid_merchant',
  '20004': 'pick_up_card',             '20005': 'do_not_honor',             '20006': 'provider_request_invalid',
  '20012': 'invalid_transaction',      '20013': 'amount_not_supported',     '20014': 'invalid_number',
  '20016': 'first_use_blocked',        '20019': 'reentry_requested',        '20020': 'processing_error',
  '20022': 'processing_error',         '20028': 'issuer_unavailable',       '20030': 'provider_request_invalid',
  '20031': 'no_such_issuer',           '20033': 'stored_credential_invalid', '20038': 'pin_tries_exceeded',
  '20039': 'account_closed',           '20040': 'transaction_not_permitted', '20042': 'amount_not_supported',
  '20046': 'do_not_honor',             '20051': 'insufficient_funds',       '20052': 'account_closed',
  '20053': 'account_closed',           '20054': 'expired_card',             '20055': 'incorrect_pin',
  '20056': 'invalid_number',           '20057': 'transaction_not_permitted', '20058': 'not_permitted_to_merchant',
  '20059': 'suspected_fraud',          '2005C': 'blocked_by_issuer',        '20060': 'invalid_merchant',
  '20061': 'amount_limit_exceeded',    '20062': 'restricted_card',          '20063': 'security_violation',
  '20065': 'frequency_limit_exceeded', '20066': 'invalid_merchant',         '20067': 'pick_up_card',
  '20068': 'issuer_unavailable',       '20070': 'authentication_required',  '20072': 'first_use_blocked',
  '20075': 'pin_tries_exceeded',       '20078': 'first_use_blocked',        '20081': 'restricted_card',
  '20082': 'incorrect_cvc',            '20083': 'account_closed',           '20087': 'incorrect_cvc',
  '20089': 'processing_error',
  '20090': 'network_unavailable',      '20091': 'issuer_unavailable',       '20092': 'issuer_unavailable',
  '20093': 'legal_restriction',        '20096': 'processing_error',         '20098': 'processing_error',
  '2009G': 'blocked_by_cardholder',    '200A6': 'issuer_unavailable',       '200E3': 'provider_error',
  '200N7': 'incorrect_cvc',            '200P1': 'amount_limit_exceeded',    '200P9': 'amount_limit_exceeded',
  '200R1': 'recurring_stopped',        '200R3': 'recurring_stopped',        '200T3': 'card_not_supported',
  '20100': 'invalid_expiry',           '20101': 'invalid_number',           '20102': 'invalid_merchant',
  '20103': 'card_not_supported',       '20104': 'provider_request_invalid', '20105': 'provider_request_invalid',
  '20106': 'currency_not_supported',   '20107': 'incorrect_address',        '20112': 'invalid_merchant',
  '20114': 'invalid_number',           '20121': 'not_permitted_to_merchant', '20123': 'incorrect_address',
  '20124': 'incorrect_cvc',            '20150': 'authentication_unavailable', '20151': 'authentication_failed',
  '20152': 'authentication_abandoned', '20153': 'authentication_unavailable', '20154': 'authentication_required',
  '20155': 'authentication_unavailable', '20156': 'card_not_supported',     '20157': 'invalid_merchant',
  '20159': 'authentication_unavailable', '20179': 'invalid_number',         '20182': 'transaction_not_permitted',
  '20183': 'suspected_fraud',
  '30004': 'pick_up_card',             '30007': 'pick_up_card',             '30015': 'no_such_issuer',
  '30020': 'amount_not_supported',     '30021': 'amount_limit_exceeded',    '30022': 'frequency_limit_exceeded',
  '30033': 'expired_card',             '30034': 'suspected_fraud',          '30035': 'pick_up_card',
  '30036': 'restricted_card',          '30037': 'pick_up_card',             '30038': 'pin_tries_exceeded',
  '30041': 'lost_card',                '30043': 'stolen_card',              '30044': 'legal_restriction',
  '30046': 'account_closed',           '44301': 'authentication_required',  '50003': 'provider_error',
}

/** Fallback by first digit, for codes that are not in the table above. */
const classes: Readonly<Record<string, DeclineCode>> = {
  '2': 'generic_decline',
  '3': 'transaction_not_permitted',
  '4': 'blocked_by_provider',
  '5': 'generic_decline',
}

/**
 * In progress, partly completed, duplicate, already completed or already reversed: these may refer to an operation that
 * has succeeded or may still succeed.
 */
// biome-ignore format: a list.
const inconclusive: readonly string[] = [
  '20009', '20021', '20032', '20094', '20109', '20110', '20111', '20118', '20199', '50490',
]

export const declineTables: readonly DeclineTable[] = [
  {
    title: '`response_code`',
    codes: Object.entries(codes).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    others: 'the next table',
    inconclusive,
  },
  {
    title: 'First digit of other response codes',
    codes: Object.entries(classes),
    others: 'the outcome is unknown',
  },
]

/**
 * A partial approval (10010) does not count: it is never requested, and the approved amount is not reported
 * reliably.
 */
export function isApproval(code: string): boolean {
  return /^10\d{3}$/.test(code) && code !== '10010'
}

/** The members of payments, actions and webhooks that state why something was declined. */
export type DeclineReport = {
  readonly response_code?: string | null
  readonly response_summary?: string | null
  /** The codes of the card network. The advice code exists for Mastercard only. */
  readonly processing?: {
    readonly partner_response_code?: string | null
    readonly partner_merchant_advice_code?: string | null
  } | null
  /** Checkout.com will try again. */
  readonly retry?: unknown
}

/**
 * The outcome of an operation that Checkout.com reports as declined. A missing code counts as inconclusive.
 */
export function declined(ref: string, report: DeclineReport): Outcome {
  const { response_summary: summary, processing, retry } = report
  const code = report.response_code ?? ''
  const isFinal = Object.hasOwn(classes, code[0] ?? '') && !inconclusive.includes(code)
  if (!isFinal || (retry ?? null) !== null) {
    const message = `The decline is not final (${code || 'no response code'}).`
    return { is: 'unknown', ref, fault: { code: 'decline_not_final', message } }
  }
  const networkCode = processing?.partner_response_code
  const adviceCode = processing?.partner_merchant_advice_code
  const decline: Decline = {
    code: codeWithAdvice(ourCode(code, networkCode), adviceCode ?? ''),
    ...(networkCode ? { networkCode } : {}),
    ...(adviceCode ? { adviceCode } : {}),
    message: summary ? `${code}: ${summary}` : code,
  }
  return { is: 'declined', ref, decline }
}

/** Code 20006 means an invalid request, unless the network code is 06: then the issuer reported an error. */
function ourCode(code: string, networkCode: string | null | undefined): DeclineCode {
  if (code === '20006' && networkCode === '06') return 'processing_error'
  if (Object.hasOwn(codes, code)) return codes[code] as DeclineCode
  return classes[code[0] ?? ''] ?? 'generic_decline'
}
