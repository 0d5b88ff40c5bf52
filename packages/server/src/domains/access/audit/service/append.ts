import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type NewEntry, toText } from '../audit-entry.ts'
import { type ChainEnd, hashOf } from '../chain.ts'
import { insertEntry } from '../store.ts'

/** Appends the entry to the chain, whose head is locked, and returns the new end of the chain. */
export async function appendEntry(tx: Tx, head: ChainEnd, entry: NewEntry): Promise<ChainEnd> {
  const numbered = { ...entry, number: head.number + 1n }
  const text = toText(numbered)
  const end = { number: numbered.number, hash: hashOf(head.hash, text) }
  await insertEntry(tx, numbered, { ...end, entry: text })
  return end
}
