/** Finds what somebody has in front of them: an id, a reference of a provider, an order, an e-mail address, a card. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { read } from '../../platform/db/unit-of-work.ts'
import type { Hit } from './hit.ts'
import { meaningOf } from './query.ts'
import { findByCard, findByEmail, findByIds, findByWord, mostHits } from './store.ts'

export function search(deps: Deps, caller: Caller, text: string): Promise<readonly Hit[]> {
  const { ids, email, word, card } = meaningOf(text, caller.mode)
  return read(deps, caller, async (view) => {
    const found = await Promise.all([
      ids === null ? [] : findByIds(view, ids),
      email === null ? [] : findByEmail(view, email),
      card === null ? [] : findByCard(view, card),
      word === null ? [] : findByWord(view, word),
    ])
    return once(found.flat()).slice(0, mostHits)
  })
}

/** A payment may be known by the same word twice. */
function once(hits: readonly Hit[]): readonly Hit[] {
  return [...new Map(hits.map((hit) => [hit.id, hit])).values()]
}
