/** The numbers and names of ledger accounts in the merchant's accounting software. No side effects. */

export type JournalSettings = {
  readonly accounts: { readonly [account: string]: JournalAccount }
  readonly datev: DatevSettings | null
  readonly xero: XeroSettings
}
export type JournalAccount = { readonly number: string | null; readonly name: string | null }
export type DatevSettings = {
  /** Beraternummer and Mandantennummer. */
  readonly consultant_number: number
  readonly client_number: number
  /** The first day of the fiscal year: `01-01`. */
  readonly fiscal_year_start: string
  /** The number of digits of general ledger accounts. */
  readonly account_length: number
}
export type XeroSettings = { readonly tax_rate: string }

export const defaultSettings: JournalSettings = {
  accounts: {},
  datev: null,
  xero: { tax_rate: 'Tax Exempt' },
}

export function accountNumberOf({ accounts }: JournalSettings, account: string): string | null {
  return accounts[account]?.number ?? null
}

/** The default of `refunds_payable` is `Refunds payable`. */
export function accountNameOf({ accounts }: JournalSettings, account: string): string {
  const words = account.replaceAll('_', ' ')
  return accounts[account]?.name ?? words.charAt(0).toUpperCase() + words.slice(1)
}

export type JournalChange = {
  readonly accounts?: readonly ({ readonly account: string } & Partial<JournalAccount>)[]
  readonly datev?: DatevSettings | null
  readonly xero?: XeroSettings
}

/** Accounts that the change does not contain are kept. */
export function changeSettings(before: JournalSettings, change: JournalChange): JournalSettings {
  const accounts: Record<string, JournalAccount> = { ...before.accounts }
  for (const { account, number, name } of change.accounts ?? []) {
    const current = accounts[account] ?? { number: null, name: null }
    accounts[account] = {
      number: number === undefined ? current.number : number,
      name: name === undefined ? current.name : name,
    }
  }
  return {
    accounts,
    datev: change.datev === undefined ? before.datev : change.datev,
    xero: change.xero ?? before.xero,
  }
}
