/** Automatic pagination. The cursor is an id, so deletions while iterating neither repeat nor skip an object. */
import type { Query } from './query.ts'
import type { Answered, CallOptions, Send } from './send.ts'
import { requireNumber } from './settings.ts'
import type { Page, PageQuery } from './types.generated.ts'

/** The maximum page size, which needs the fewest requests to iterate a whole list. */
const maxPageSize = 100

export type List<Entry> = AsyncIterable<Entry> & {
  /** One page, as returned by the API. */
  page(): Promise<Answered<Page<Entry>>>
  /** An array of up to `max` entries. The limit is required because lists are unbounded. */
  all(options: { readonly max: number }): Promise<Entry[]>
}

type FetchPage<Entry> = (query: PageQuery) => Promise<Answered<Page<Entry>>>

/** A paginated list of the API. */
export function paginatedList<Entry extends object>(
  send: Send,
  path: string,
  query: PageQuery | undefined,
  options: CallOptions | undefined,
): List<Entry> {
  return listOf((pageQuery) => send({ method: 'GET', path, query: pageQuery as Query, options }), query)
}

export function listOf<Entry extends object>(
  fetchPage: FetchPage<Entry>,
  query: PageQuery = {},
): List<Entry> {
  const limit = query.limit ?? maxPageSize
  return {
    page: () => fetchPage(query),
    [Symbol.asyncIterator]: () => iterate(fetchPage, { ...query, limit }),
    async all({ max }) {
      requireNumber('max', max, 1)
      const collected: Entry[] = []
      for await (const entry of iterate(fetchPage, { ...query, limit: Math.min(limit, max) })) {
        collected.push(entry)
        if (collected.length >= max) break
      }
      return collected
    },
  }
}

/**
 * Iterates from the cursor towards older objects, or with `ending_before` towards newer ones. Pages are newest first
 * in both directions, so towards newer objects each page is reversed.
 */
async function* iterate<Entry extends object>(
  fetchPage: FetchPage<Entry>,
  query: PageQuery,
): AsyncGenerator<Entry, void, undefined> {
  const isAscending = query.ending_before !== undefined
  let pageQuery: PageQuery = query
  for (;;) {
    const { data, has_more } = await fetchPage(pageQuery)
    const ordered = isAscending ? data.toReversed() : data
    yield* ordered
    const last = ordered.at(-1) as { readonly id?: string } | undefined
    if (!has_more || last?.id === undefined) return
    pageQuery = { ...query, [isAscending ? 'ending_before' : 'starting_after']: last.id }
  }
}
