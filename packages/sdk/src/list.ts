/** Lists that page by themselves. A cursor is an id, so deletions in between neither repeat nor skip an object. */
import type { Query } from './query.ts'
import type { Answered, CallOptions, Send } from './send.ts'
import { requireNumber } from './settings.ts'
import type { Page, PageQuery } from './types.generated.ts'

/** The most that one page holds: who wants all of them should ask as rarely as possible. */
const longestPage = 100

export type List<Entry> = AsyncIterable<Entry> & {
  /** One page, as the API answers it. */
  page(): Promise<Answered<Page<Entry>>>
  /** All entries, or the first `max` of them: memory has an end, a list has none. */
  all(options: { readonly max: number }): Promise<Entry[]>
}

type PageOf<Entry> = (query: PageQuery) => Promise<Answered<Page<Entry>>>

/** The pages of an address. */
export function pages<Entry extends object>(
  send: Send,
  path: string,
  query: PageQuery | undefined,
  options: CallOptions | undefined,
): List<Entry> {
  return listOf((asked) => send({ method: 'GET', path, query: asked as Query, options }), query)
}

export function listOf<Entry extends object>(pageOf: PageOf<Entry>, query: PageQuery = {}): List<Entry> {
  const limit = query.limit ?? longestPage
  return {
    page: () => pageOf(query),
    [Symbol.asyncIterator]: () => entries(pageOf, { ...query, limit }),
    async all({ max }) {
      requireNumber('max', max, 1)
      const found: Entry[] = []
      for await (const entry of entries(pageOf, { ...query, limit: Math.min(limit, max) })) {
        found.push(entry)
        if (found.length >= max) break
      }
      return found
    },
  }
}

/**
 * Walks away from the cursor: towards older objects, or with `ending_before` towards newer ones. Pages
 * are newest first either way, so on the way to newer ones each is read from its end.
 */
async function* entries<Entry extends object>(
  pageOf: PageOf<Entry>,
  query: PageQuery,
): AsyncGenerator<Entry, void, undefined> {
  const isUpwards = query.ending_before !== undefined
  let asked: PageQuery = query
  for (;;) {
    const { data, has_more } = await pageOf(asked)
    const walked = isUpwards ? data.toReversed() : data
    yield* walked
    const last = walked.at(-1) as { readonly id?: string } | undefined
    if (!has_more || last?.id === undefined) return
    asked = { ...query, [isUpwards ? 'ending_before' : 'starting_after']: last.id }
  }
}
