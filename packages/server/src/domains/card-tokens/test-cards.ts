/**
 * The numbers that the test environment takes. Each plays a part at the simulator: what is not listed here may
 * be somebody's real card, and has no business in a test.
 */
import { passesLuhn } from './card-number.ts'

const approved = ['4242424242424242', '5555555555554444', '378282246310005']

/** Between the two: what the simulator does with it. The last digit makes the number a valid one. */
const scenario = /^40000000(\d{4})000\d$/
const advice = /^5200000000\d\d000\d$/

/** Payer authentication, then faults of the provider, then what goes wrong after the approval. */
const scenarios = new Set([
  ...['3000', '3001', '3002', '3003', '3004'],
  ...['5001', '5002', '5003', '5004', '5005', '5006', '5007', '5008', '5009', '5010'],
  ...['5011', '5012', '5013', '5014', '5015', '5016', '5017', '5018', '5019', '5020'],
  ...['6001', '6002', '6003', '6004', '6005', '6006'],
])
/** `00` and a network code other than 00, which would be an approval. */
const decline = /^00(?!00)\d\d$/

/** What is told of the issuer of every test card. */
export const testIssuer = { funding: 'credit', country: 'US' } as const

export function isTestCard(digits: string): boolean {
  if (approved.includes(digits)) return true
  if (!passesLuhn(digits)) return false
  const [, part = ''] = scenario.exec(digits) ?? []
  return advice.test(digits) || scenarios.has(part) || decline.test(part)
}
