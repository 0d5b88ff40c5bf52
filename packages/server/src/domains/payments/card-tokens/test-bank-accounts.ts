/**
 * The only bank accounts that test mode accepts, because any other number may be a real account. Each has a scripted
 * behaviour in the simulator.
 */
import type { AccountNumber } from '../../../providers/contract.ts'

const testIbans: readonly string[] = [
  'DE89370400440532013000',
  'DE16370400440532018000',
  'DE86370400440532018001',
  'DE59370400440532018002',
  'DE32370400440532018003',
]
const testRoutingNumber = '110000000'
const testUsNumbers = ['000123456789', '000123458001', '000123458002', '000123458003']
const testSortCode = '108800'
const testUkNumbers = ['00012345', '00018001', '00018002', '00018003']

export function isTestBankAccount(account: AccountNumber): boolean {
  if ('iban' in account) return testIbans.includes(account.iban)
  return 'sortCode' in account
    ? account.sortCode === testSortCode && testUkNumbers.includes(account.accountNumber)
    : account.routingNumber === testRoutingNumber && testUsNumbers.includes(account.accountNumber)
}
