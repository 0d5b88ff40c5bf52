/**
 * The card numbers that test mode accepts. Each has a scripted behaviour in the simulator: any other number
 * may be a real card, which must not be used in a test.
 */
import { passesLuhn } from './card-number.ts'

const approved = ['4242424242424242', '5555555555554444', '378282246310005']

/** The digits in the middle select the behaviour of the simulator. The last digit is the check digit. */
const scenario = /^40000000(\d{4})000\d$/
const advice = /^5200000000\d\d000\d$/

/** Payer authentication, then provider errors, then failures after the approval, then disputes. */
const scenarios = new Set([
  '3000',
  '3001',
  '3002',
  '3003',
  '3004',
  '3005',
  '5001',
  '5002',
  '5003',
  '5004',
  '5005',
  '5006',
  '5007',
  '5008',
  '5009',
  '5010',
  '5011',
  '5012',
  '5013',
  '5014',
  '5015',
  '5016',
  '5017',
  '5018',
  '5019',
  '5020',
  '5021',
  '6001',
  '6002',
  '6003',
  '6004',
  '6005',
  '6006',
  '6007',
  '6008',
  '6009',
  '7001',
  '7002',
  '7003',
])
/** `00`, followed by a network code. The network code 00 would be an approval. */
const decline = /^00(?!00)\d\d$/

/** The issuer data of every test card. */
export const testIssuer = { funding: 'credit', country: 'US', issuer: 'Test Bank' } as const

export function isTestCard(digits: string): boolean {
  if (approved.includes(digits)) return true
  if (!passesLuhn(digits)) return false
  const [, scenarioDigits = ''] = scenario.exec(digits) ?? []
  return advice.test(digits) || scenarios.has(scenarioDigits) || decline.test(scenarioDigits)
}
