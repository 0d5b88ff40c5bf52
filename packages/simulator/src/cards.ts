/**
 * The test cards: which number plays which scenario, what it does, and how a payment with it must end when the
 * provider answers repeats. Documents are made from this table, and tests go through it. Pure.
 */
import { codeByNetworkCode, declineOfAdvice } from './declines.ts'
import { isScenario } from './scenarios.ts'

export type CardEnd = {
  /** The state of the payment in the end, or of the refund where one is asked for. */
  readonly payment: 'succeeded' | 'failed' | 'requires_capture' | 'processing'
  readonly refund?: 'succeeded' | 'failed'
  /** The code of the failure. */
  readonly code?: string
  /** How many approvals the ledgers of all accounts hold together. */
  readonly approvals: 0 | 1
  /** Where there are two accounts, the second one takes the money; a lone account ends as `failed`. */
  readonly at?: 'another_account'
  readonly review?: 'needs_review'
}

export type TestCard = {
  readonly number: string
  readonly scenario: string
  readonly does: string
  /** What is asked for beside the payment, to see it. */
  readonly ask?: 'capture' | 'void' | 'refund' | 'return' | 'wait'
  readonly ends: CardEnd
}

const approvedNumbers = ['4242424242424242', '5555555555554444', '378282246310005']

/** The scenario of a number, or null if it is no test card. */
export function scenarioOfNumber(number: string): string | null {
  if (approvedNumbers.includes(number)) return 'approve'
  if (!hasLuhnDigit(number)) return null
  const [, advice] = /^5200000000(\d\d)000\d$/.exec(number) ?? []
  if (advice !== undefined) return `advice:${advice}`
  const [, digits] = /^40000000(\d{4})000\d$/.exec(number) ?? []
  if (digits === undefined) return null
  const name = digits.startsWith('00') ? `decline:${digits.slice(2)}` : digits
  return isScenario(name) ? name : null
}

export function numberOfScenario(digits: string): string {
  return withLuhnDigit(`40000000${digits}000`)
}

function withLuhnDigit(start: string): string {
  return `${start}${(10 - (luhnSum(`${start}0`) % 10)) % 10}`
}

function hasLuhnDigit(number: string): boolean {
  return /^\d+$/.test(number) && luhnSum(number) % 10 === 0
}

function luhnSum(number: string): number {
  const digits = [...number].reverse().map(Number)
  return digits.reduce(
    (sum, digit, place) => sum + (place % 2 === 0 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)),
    0,
  )
}

const succeeds: CardEnd = { payment: 'succeeded', approvals: 1 }
const cascades: CardEnd = { payment: 'succeeded', approvals: 1, at: 'another_account' }
const keepsHold: CardEnd = { payment: 'requires_capture', approvals: 1 }
const fails = (code: string): CardEnd => ({ payment: 'failed', code, approvals: 0 })
const refunds = (refund: 'succeeded' | 'failed'): CardEnd => ({ ...succeeds, refund })

// biome-ignore format: a table.
const scenarioCards: readonly (readonly [digits: string, does: string, ends: CardEnd, ask?: TestCard['ask']])[] = [
  ['3000', 'Asks for 3-D Secure, and the bank lets it pass',         succeeds, 'return'],
  ['3001', 'Asks for 3-D Secure, and the bank refuses',              fails('authentication_failed'), 'return'],
  ['3002', 'Passes 3-D Secure without asking the payer',             succeeds],
  ['3003', 'Asks for 3-D Secure, and the payer leaves',              fails('authentication_abandoned'), 'wait'],
  ['3004', 'The bank cannot be asked for 3-D Secure',                cascades],
  ['5001', 'Swallows the request: nothing is done, nothing answered', succeeds],
  ['5002', 'Answers 500 and charges nothing',                        succeeds],
  ['5003', 'Charges, then answers 500',                              succeeds],
  ['5004', 'Charges, then falls silent',                             succeeds],
  ['5005', 'Charges, then resets the connection',                    succeeds],
  ['5006', 'Charges, then answers with a page of HTML',              succeeds],
  ['5007', 'Charges, then answers with half of a JSON text',         succeeds],
  ['5008', 'Cannot be reached: answers 503, not processed',          cascades],
  ['5009', 'Answers 429: too many requests, not processed',          cascades],
  ['5010', 'Refuses the credentials',                                cascades],
  ['5011', 'Charges, and answers 20 seconds late',                   succeeds],
  ['5012', 'Sends its webhook before the answer',                    succeeds],
  ['5013', 'Sends its webhook three times',                          succeeds],
  ['5014', 'Charges one minor unit less than asked for',             { payment: 'processing', review: 'needs_review', approvals: 1 }],
  ['5015', 'Charges, then says that it was a duplicate',             succeeds],
  ['5016', 'Is pending for 5 seconds, then approves',                succeeds],
  ['5017', 'Is pending for 5 seconds, then declines',                fails('do_not_honor')],
  ['5018', 'Charges in silence; a look finds nothing for 30 seconds', succeeds],
  ['5019', 'Falls silent, and approves 3 minutes later',             succeeds],
  ['5020', 'Declines in silence beside a forged webhook of success', fails('do_not_honor')],
  ['6001', 'Approves; a capture fails',                              keepsHold, 'capture'],
  ['6002', 'Approves; captures, then falls silent',                  succeeds, 'capture'],
  ['6003', 'Approves; a void fails',                                 keepsHold, 'void'],
  ['6004', 'Approves; a refund fails',                               refunds('failed'), 'refund'],
  ['6005', 'Approves; a refund is pending for 5 seconds, then done', refunds('succeeded'), 'refund'],
  ['6006', 'Approves; refunds, then falls silent',                   refunds('succeeded'), 'refund'],
]

const networkCodes = [...codeByNetworkCode.keys()].filter((code) => /^\d\d$/.test(code)).sort()
const adviceCodes = ['03', '21', '24', '25', '26', '27', '28', '29', '30']

export const testCards: readonly TestCard[] = [
  ...approvedNumbers.map((number) => ({ number, scenario: 'approve', does: 'Approves', ends: succeeds })),
  ...networkCodes.map((code) => ({
    number: numberOfScenario(`00${code}`),
    scenario: `decline:${code}`,
    does: `Declines with network code ${code}`,
    ends: fails(codeByNetworkCode.get(code) ?? ''),
  })),
  ...adviceCodes.map((code) => ({
    number: withLuhnDigit(`5200000000${code}000`),
    scenario: `advice:${code}`,
    does: `Declines with Mastercard advice ${code}`,
    ends: fails(declineOfAdvice(code).code),
  })),
  ...scenarioCards.map(([digits, does, ends, ask]) => ({
    number: numberOfScenario(digits),
    scenario: digits,
    does,
    ...(ask === undefined ? {} : { ask }),
    ends,
  })),
]
