/** A difference between an amount and its postings. */
export type LedgerDifference = {
  /** The id of an object as in the API, or an account of the ledger with its currency and day. */
  readonly subject: string
  readonly amount: string
  /** The amount as it is stored, and the amount that follows from the postings. */
  readonly recorded: bigint
  readonly posted: bigint
}

export function formatDifference({ subject, amount, recorded, posted }: LedgerDifference): string {
  return `${subject}: ${amount} is ${recorded}, but its postings add up to ${posted}`
}
