/**
 * The test cards: number, scenario, behaviour, and the expected result of a payment at a provider that is idempotent.
 * The documentation is generated from this table, and tests check every row. No side effects.
 */
import { codeByNetworkCode, declineOfAdvice } from './declines.ts'
import { isScenario } from './scenarios.ts'

export type CardOutcome = {
  /** The final status of the payment. */
  readonly payment: 'succeeded' | 'failed' | 'cancelled' | 'requires_capture' | 'processing'
  readonly refund?: 'succeeded' | 'failed'
  /** The failure code. */
  readonly code?: string
  /** The number of approvals in the ledgers of all accounts. */
  readonly approvals: 0 | 1
  /** With two accounts the second one is charged; with a single account the payment is `failed`. */
  readonly approvedBy?: 'another_account'
  readonly review?: 'needs_review'
}

export type TestCard = {
  readonly number: string
  readonly scenario: string
  readonly behaviour: string
  /** The operation or event that shows the behaviour, after the payment. */
  readonly followUp?: 'capture' | 'void' | 'refund' | 'return' | 'wait'
  readonly outcome: CardOutcome
}

const approvedNumbers = ['4242424242424242', '5555555555554444', '378282246310005']

/** The scenario of a number, or null if it is not a test card. */
export function scenarioOfNumber(number: string): string | null {
  if (approvedNumbers.includes(number)) return 'approve'
  if (!passesLuhnCheck(number)) return null
  const [, advice] = /^5200000000(\d\d)000\d$/.exec(number) ?? []
  if (advice !== undefined) return `advice:${advice}`
  const [, digits] = /^40000000(\d{4})000\d$/.exec(number) ?? []
  if (digits === undefined) return null
  const name = digits.startsWith('00') ? `decline:${digits.slice(2)}` : digits
  return isScenario(name) ? name : null
}

export function cardNumberForScenario(digits: string): string {
  return withLuhnDigit(`40000000${digits}000`)
}

function withLuhnDigit(start: string): string {
  return `${start}${(10 - (luhnSum(`${start}0`) % 10)) % 10}`
}

export function passesLuhnCheck(number: string): boolean {
  return /^\d+$/.test(number) && luhnSum(number) % 10 === 0
}

function luhnSum(number: string): number {
  const digits = [...number].reverse().map(Number)
  return digits.reduce(
    (sum, digit, index) => sum + (index % 2 === 0 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)),
    0,
  )
}

const succeeds: CardOutcome = { payment: 'succeeded', approvals: 1 }
const failsOver: CardOutcome = { payment: 'succeeded', approvals: 1, approvedBy: 'another_account' }
const staysAuthorized: CardOutcome = { payment: 'requires_capture', approvals: 1 }
const fails = (code: string): CardOutcome => ({ payment: 'failed', code, approvals: 0 })
const refunded = (refund: 'succeeded' | 'failed'): CardOutcome => ({ ...succeeds, refund })

// biome-ignore format: a table.
const scenarioCards: readonly (readonly [digits: string, behaviour: string, outcome: CardOutcome, followUp?: TestCard['followUp']])[] = [
  ['3000', 'Requires 3-D Secure; authentication succeeds',           succeeds, 'return'],
  ['3001', 'Requires 3-D Secure; authentication fails',              fails('authentication_failed'), 'return'],
  ['3002', 'Completes 3-D Secure without a challenge',               succeeds],
  ['3003', 'Requires 3-D Secure; the payer abandons it',             fails('authentication_abandoned'), 'wait'],
  ['3004', '3-D Secure is unavailable at the bank',                  failsOver],
  ['3005', 'Requires 3-D Secure, opened with a form; authentication succeeds', succeeds, 'return'],
  ['5001', 'Drops the request: no charge, no response',               succeeds],
  ['5002', 'Responds with 500 and does not charge',                  succeeds],
  ['5003', 'Charges, then responds with 500',                        succeeds],
  ['5004', 'Charges, then does not respond',                         succeeds],
  ['5005', 'Charges, then resets the connection',                    succeeds],
  ['5006', 'Charges, then responds with an HTML page',               succeeds],
  ['5007', 'Charges, then responds with truncated JSON',             succeeds],
  ['5008', 'Unavailable: responds with 503, not processed',          failsOver],
  ['5009', 'Rate limited: responds with 429, not processed',         failsOver],
  ['5010', 'Rejects the credentials',                                failsOver],
  ['5011', 'Charges, and responds after 20 seconds',                 succeeds],
  ['5012', 'Sends its webhook before the response',                  succeeds],
  ['5013', 'Sends its webhook three times',                          succeeds],
  ['5014', 'Charges one minor unit less than requested',             { payment: 'processing', review: 'needs_review', approvals: 1 }],
  ['5015', 'Charges, then reports a duplicate',                      succeeds],
  ['5016', 'Is pending for 5 seconds, then approves',                succeeds],
  ['5017', 'Is pending for 5 seconds, then declines',                fails('do_not_honor')],
  ['5018', 'Charges without a response; lookups find nothing for 30 seconds', succeeds],
  ['5019', 'Does not respond, and approves 3 minutes later',         succeeds],
  ['5020', 'Declines without a response; a forged success webhook arrives', fails('do_not_honor')],
  ['5021', 'Responds with 403 without an operation record: credentials not accepted', failsOver],
  ['6001', 'Approves; a capture fails',                              staysAuthorized, 'capture'],
  ['6002', 'Approves; captures, then does not respond',              succeeds, 'capture'],
  ['6003', 'Approves; a void fails',                                 staysAuthorized, 'void'],
  ['6004', 'Approves; a refund fails',                               refunded('failed'), 'refund'],
  ['6005', 'Approves; a refund is pending for 5 seconds, then succeeds', refunded('succeeded'), 'refund'],
  ['6006', 'Approves; refunds, then does not respond',               refunded('succeeded'), 'refund'],
  ['6007', 'Approves; a capture is pending for 5 seconds, then succeeds', succeeds, 'capture'],
  ['6008', 'Approves; a capture is pending for 5 seconds, then fails', staysAuthorized, 'capture'],
  ['6009', 'Approves; a void is pending for 5 seconds, then succeeds', { payment: 'cancelled', approvals: 1 }, 'void'],
  ['7001', 'Approves; then a chargeback as fraudulent, with 10 days to respond', succeeds],
  ['7002', 'Approves; then an inquiry by the bank, with 10 days to respond', succeeds],
  ['7003', 'Approves; then a chargeback as not received, with 2 days to respond', succeeds],
]

const networkCodes = [...codeByNetworkCode.keys()].filter((code) => /^\d\d$/.test(code)).sort()
const adviceCodes = ['03', '21', '24', '25', '26', '27', '28', '29', '30']

export const testCards: readonly TestCard[] = [
  ...approvedNumbers.map((number) => ({
    number,
    scenario: 'approve',
    behaviour: 'Approves',
    outcome: succeeds,
  })),
  ...networkCodes.map((code) => ({
    number: cardNumberForScenario(`00${code}`),
    scenario: `decline:${code}`,
    behaviour: `Declines with network code ${code}`,
    outcome: fails(codeByNetworkCode.get(code) ?? ''),
  })),
  ...adviceCodes.map((code) => ({
    number: withLuhnDigit(`5200000000${code}000`),
    scenario: `advice:${code}`,
    behaviour: `Declines with Mastercard advice ${code}`,
    outcome: fails(declineOfAdvice(code).code),
  })),
  ...scenarioCards.map(([digits, behaviour, outcome, followUp]) => ({
    number: cardNumberForScenario(digits),
    scenario: digits,
    behaviour,
    ...(followUp === undefined ? {} : { followUp }),
    outcome,
  })),
]
