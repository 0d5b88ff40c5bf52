// A stand-in for your bank: replace it. It executes each reference once, supports lookups, and can close a reference so
// that it is never executed. It has its own storage, so a crash of the provider does not affect it. Some test cards
// behave as they do at the simulator.

import { setTimeout as sleep } from 'node:timers/promises'
import { openJournal } from './journal.ts'

type BankRequest = { readonly instrument: { readonly number?: string } | null }
/** The outcome of a request. `closed`: it was not executed and never will be. */
export type Outcome =
  | { readonly status: 'succeeded' | 'closed' }
  | { readonly status: 'declined'; readonly decline: { readonly code: string } }

const cards = {
  '4000000000510000': 'has insufficient funds',
  '4000000050030008': 'is charged, then the connection is lost',
  '4000000050160003': 'is slow',
} as const
const slowMs = 5_000

export const declined = (code: string): Outcome => ({ status: 'declined', decline: { code } })

export type Bank = ReturnType<typeof openBank>

export function openBank(path: string) {
  const journal = openJournal<{ readonly reference: string; readonly end: Outcome }>(path)
  const outcomes = new Map(journal.lines.map(({ reference, end }) => [reference, end]))
  /** The first outcome of a reference is final. */
  const saveOutcome = (reference: string, outcome: Outcome): Outcome => {
    const existing = outcomes.get(reference)
    if (existing !== undefined) return existing
    journal.append({ reference, end: outcome })
    outcomes.set(reference, outcome)
    return outcome
  }
  return {
    /** If it throws, the outcome is unknown. */
    async execute(reference: string, { instrument }: BankRequest): Promise<Outcome> {
      const behaviour = cards[(instrument?.number ?? '') as keyof typeof cards]
      if (behaviour === 'is slow') await sleep(slowMs)
      const decision: Outcome =
        behaviour === 'has insufficient funds' ? declined('insufficient_funds') : { status: 'succeeded' }
      const outcome = saveOutcome(reference, decision)
      if (behaviour === 'is charged, then the connection is lost')
        throw new Error('The connection to the bank was lost.')
      return outcome
    },
    /** Null if the bank does not know the reference. The request may still arrive later. */
    find: (reference: string): Outcome | null => outcomes.get(reference) ?? null,
    /** Closes a reference that was not executed yet, or returns its outcome. */
    close: (reference: string): Outcome => saveOutcome(reference, { status: 'closed' }),
  }
}
