/** The test bank accounts: number, scenario and behaviour. The guide about bank debits lists them. Pure. */
type TestBankAccount = {
  readonly iban: string
  readonly scenario: string
  readonly behaviour: string
}

const testBankAccounts: readonly TestBankAccount[] = [
  { iban: 'DE89370400440532013000', scenario: '8000', behaviour: 'Settles after 2 seconds' },
  { iban: 'DE16370400440532018000', scenario: '8000', behaviour: 'Settles after 2 seconds' },
  { iban: 'DE86370400440532018001', scenario: '8001', behaviour: 'Settles after 14 days' },
  {
    iban: 'DE59370400440532018002',
    scenario: '8002',
    behaviour: 'Fails after 2 seconds: insufficient funds',
  },
  {
    iban: 'DE32370400440532018003',
    scenario: '8003',
    behaviour: 'Settles after 2 seconds, and is returned 2 seconds later',
  },
]

/** The scenario of a number, or null if it is not a test account. */
export function scenarioOfIban(iban: string): string | null {
  return testBankAccounts.find((account) => account.iban === iban)?.scenario ?? null
}
