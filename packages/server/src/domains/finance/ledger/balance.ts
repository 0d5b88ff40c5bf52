import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { type AccountName, accounts } from './postings.ts'

/** The sums of all postings to an account, in one currency. */
export type AccountSums = {
  readonly account: AccountName
  /** Null unless the account is `clearing`. */
  readonly providerAccountId: Id<'provider_account'> | null
  readonly currency: Currency
  readonly debits: bigint
  readonly credits: bigint
}

/** The balance on the side of the account on which it increases. Negative if the other side is larger. */
export function balanceOf({ account, debits, credits }: AccountSums): bigint {
  return accounts[account] === 'debit' ? debits - credits : credits - debits
}
