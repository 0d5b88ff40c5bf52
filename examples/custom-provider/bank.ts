// Stands for whoever moves the money: put yours here. It takes a name for each wish, does it once, can be asked later,
// and can be told never to do it. It has a memory of its own, as yours has: a crash of the provider is none of the bank.
// Some cards of the test environment play a part, the same that they play at the simulator.

import { setTimeout as sleep } from 'node:timers/promises'
import { openJournal } from './journal.ts'

type Wish = { readonly instrument: { readonly number?: string } | null }
/** What became of a wish. `closed`: it was not done, and never will be. */
export type End =
  | { readonly status: 'succeeded' | 'closed' }
  | { readonly status: 'declined'; readonly decline: { readonly code: string } }

const cards = {
  '4000000000510000': 'has no money',
  '4000000050030008': 'is charged, and then the line breaks',
  '4000000050160003': 'takes a while',
} as const
const slowMs = 5_000

export const declined = (code: string): End => ({ status: 'declined', decline: { code } })

export type Bank = ReturnType<typeof openBank>

export function openBank(path: string) {
  const journal = openJournal<{ readonly reference: string; readonly end: End }>(path)
  const ends = new Map(journal.lines.map(({ reference, end }) => [reference, end]))
  /** The first end of a wish is its only one. */
  const conclude = (reference: string, end: End): End => {
    const known = ends.get(reference)
    if (known !== undefined) return known
    journal.append({ reference, end })
    ends.set(reference, end)
    return end
  }
  return {
    /** If it throws, nobody knows. */
    async act(reference: string, { instrument }: Wish): Promise<End> {
      const part = cards[(instrument?.number ?? '') as keyof typeof cards]
      if (part === 'takes a while') await sleep(slowMs)
      const wanted: End = part === 'has no money' ? declined('insufficient_funds') : { status: 'succeeded' }
      const end = conclude(reference, wanted)
      if (part === 'is charged, and then the line breaks') throw new Error('The line to the bank broke.')
      return end
    },
    /** Null if it did not come here. That proves little: it may still be on its way. */
    find: (reference: string): End | null => ends.get(reference) ?? null,
    /** What was not done by now is refused from now on. What was done stays done, and is said. */
    close: (reference: string): End => conclude(reference, { status: 'closed' }),
  }
}
