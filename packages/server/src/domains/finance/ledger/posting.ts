import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Kind } from '../../../kernel/id.ts'
import type { AccountName, ActName } from './postings.ts'

/** A posting as it was stored. */
export type StoredPosting = {
  readonly id: Id<'ledger_posting'>
  readonly act: ActName
  readonly causeId: Id<Kind>
  readonly debitAccount: AccountName
  readonly creditAccount: AccountName
  readonly debitObjectId: Id<Kind>
  readonly creditObjectId: Id<Kind>
  readonly providerAccountId: Id<'provider_account'> | null
  readonly amount: bigint
  readonly currency: Currency
  readonly effectiveAt: Date
  readonly bookedAt: Date
}
