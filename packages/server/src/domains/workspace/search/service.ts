/** Searches by id, name, email address, order number, card or provider reference. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Hit } from './hit.ts'
import { parseSearch } from './query.ts'
import { findByCard, findByIds, findByName, findByReference, maxHits } from './store.ts'

export function search(deps: Deps, caller: Caller, input: string): Promise<readonly Hit[]> {
  const { ids, text, card } = parseSearch(input, caller.mode)
  return read(deps, caller, async (view) => {
    const hits = await Promise.all([
      ids === null ? [] : findByIds(view, ids),
      text === null ? [] : findByReference(view, text),
      card === null ? [] : findByCard(view, card),
      text === null ? [] : findByName(view, text),
    ])
    return withoutDuplicates(hits.flat()).slice(0, maxHits)
  })
}

/** An object can match in several ways. */
function withoutDuplicates(hits: readonly Hit[]): readonly Hit[] {
  return [...new Map(hits.map((hit) => [hit.id, hit])).values()]
}
