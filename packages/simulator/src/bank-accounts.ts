/** The test bank accounts: number, scenario and behaviour. The guide about bank debits lists them. No side effects. */

/** A bank account without a name: an IBAN, or the code of the bank and the number of the account. */
export type BankAccount =
  | { readonly type: 'sepa_debit'; readonly iban: string }
  | { readonly type: 'ach_debit'; readonly routing_number: string; readonly account_number: string }
  | { readonly type: 'bacs_debit'; readonly sort_code: string; readonly account_number: string }

const members = {
  sepa_debit: ['iban'],
  ach_debit: ['routing_number', 'account_number'],
  bacs_debit: ['sort_code', 'account_number'],
} as const
const debitTypes = ['sepa_debit', 'ach_debit', 'bacs_debit'] as const

/** Scenarios by the number of the account, after the code of its bank. */
const scenarios: { readonly [number: string]: string } = {
  // Settles after 2 seconds.
  DE89370400440532013000: '8000',
  DE16370400440532018000: '8000',
  '110000000 000123456789': '8000',
  '108800 00012345': '8000',
  // Settles as late as its scheme allows: after 14, 4 and 7 days.
  DE86370400440532018001: '8001',
  '110000000 000123458001': '8004',
  '108800 00018001': '8005',
  // Fails after 2 seconds: insufficient funds.
  DE59370400440532018002: '8002',
  '110000000 000123458002': '8002',
  '108800 00018002': '8002',
  // Settles after 2 seconds, and is returned 2 seconds later.
  DE32370400440532018003: '8003',
  '110000000 000123458003': '8003',
  '108800 00018003': '8003',
}

/** The bank account in an object with the member `type`; null if it is not one. */
export function bankAccountIn(value: { readonly [name: string]: unknown }): BankAccount | null {
  const type = debitTypes.find((name) => name === value.type)
  if (type === undefined) return null
  const entries = members[type].map((name) => [name, value[name]] as const)
  if (entries.some(([, text]) => typeof text !== 'string')) return null
  return { type, ...Object.fromEntries(entries) } as BankAccount
}

/** The scenario of an account, or null if it is not a test account. */
export function scenarioOfBankAccount(account: BankAccount): string | null {
  return scenarios[numberOf(account)] ?? null
}

function numberOf(account: BankAccount): string {
  if (account.type === 'sepa_debit') return account.iban
  const bank = account.type === 'ach_debit' ? account.routing_number : account.sort_code
  return `${bank} ${account.account_number}`
}
