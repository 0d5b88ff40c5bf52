/** Compares the postings that business transactions require with the stored postings. No side effects. */
import { type LedgerAct, type LedgerPosting, postingsOf } from './postings.ts'

export type DatedAct = { readonly at: Date; readonly ledgerAct: LedgerAct }
export type DatedPosting = LedgerPosting & { readonly effectiveAt: Date }

/** The members of a stored posting that identify it and describe the movement. */
export type PostedLine = Pick<
  LedgerPosting,
  'causeId' | 'line' | 'act' | 'debitAccount' | 'creditAccount' | 'amount'
>

export function datedPostings({ at, ledgerAct }: DatedAct): DatedPosting[] {
  return postingsOf(ledgerAct).map((posting) => ({ ...posting, effectiveAt: at }))
}

/** The required postings that are not stored yet; null if a stored posting contradicts the business transactions. */
export function missingPostings(
  acts: readonly DatedAct[],
  posted: readonly PostedLine[],
): readonly DatedPosting[] | null {
  const stored = new Map(posted.map((line) => [keyOf(line), line]))
  const expected = acts.flatMap(datedPostings)
  const differs = expected.some((posting) => {
    const line = stored.get(keyOf(posting))
    return line !== undefined && !isSame(line, posting)
  })
  return differs ? null : expected.filter((posting) => !stored.has(keyOf(posting)))
}

const keyOf = ({ causeId, line }: Pick<LedgerPosting, 'causeId' | 'line'>) => `${causeId} ${line}`

function isSame(a: PostedLine, b: PostedLine): boolean {
  return (
    a.act === b.act &&
    a.debitAccount === b.debitAccount &&
    a.creditAccount === b.creditAccount &&
    a.amount === b.amount
  )
}
