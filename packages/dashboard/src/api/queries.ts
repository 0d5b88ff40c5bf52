/**
 * How pages read. An object is kept as [workspace, noun, id, part]; a list as [workspace, noun + ' list', filter].
 * The events that come in by the stream say by the same words what to read again.
 */
import type { List, Switchyard } from '@switchyard/sdk'
import { type UseQueryResult, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useHere } from './workspace.tsx'

type Read<Value> = (api: Switchyard, signal: AbortSignal) => Promise<Value>

/** One object, or a part of one: `useObject(['payment', id, 'attempts'], (api) => …)`. */
export function useObject<Value>(
  key: readonly [noun: string, id: string, ...part: unknown[]],
  read: Read<Value>,
  options: {
    readonly enabled?: boolean
    /** How soon it is read again: always the same, or as what was read last says. */
    readonly refetchInterval?: number | false | ((value: Value) => number | false)
  } = {},
): UseQueryResult<Value> {
  const { workspace, api } = useHere()
  const { refetchInterval: again = false, ...others } = options
  return useQuery({
    queryKey: [workspace.id, ...key],
    queryFn: ({ signal }) => read(api, signal),
    // While a part of it is read again; never what stood here for another object: somebody might act on it.
    placeholderData: (before, query) => (query?.queryKey[2] === key[1] ? before : undefined),
    refetchInterval: ({ state: { data } }) => {
      if (typeof again !== 'function') return again
      return data === undefined ? false : again(data)
    },
    ...others,
  })
}

export type Rows<Row> = {
  readonly rows: readonly Row[]
  readonly isPending: boolean
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isReadingMore: boolean
  readonly readMore: () => void
  readonly refresh: () => void
}

const pageSize = 50

/** A list page by page. `pageOf` gets the cursor and size that the page adds to its own filter. */
export function useRows<Row extends { readonly id: string }>(
  key: readonly [noun: string, ...filter: unknown[]],
  pageOf: (api: Switchyard, page: { limit: number; starting_after?: string }) => List<Row>,
  options: { readonly refetchInterval?: number | false } = {},
): Rows<Row> {
  const { workspace, api } = useHere()
  const [noun, ...filter] = key
  const found = useInfiniteQuery({
    queryKey: [workspace.id, `${noun} list`, ...filter],
    queryFn: ({ pageParam }) =>
      pageOf(api, { limit: pageSize, ...(pageParam === '' ? {} : { starting_after: pageParam }) }).page(),
    initialPageParam: '',
    getNextPageParam: ({ has_more, data }) => (has_more ? data.at(-1)?.id : undefined),
    ...options,
  })
  const rows = useMemo(() => found.data?.pages.flatMap(({ data }) => data) ?? [], [found.data])
  return {
    rows,
    isPending: found.isPending,
    error: found.error,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
    refresh: () => void found.refetch(),
  }
}

/** Reads again what an act has changed: all of a noun, lists included. */
export function useReread(): (...nouns: string[]) => Promise<void> {
  const queries = useQueryClient()
  const { workspace } = useHere()
  return async (...nouns) => {
    const words = new Set(nouns.flatMap((noun) => [noun, `${noun} list`]))
    await queries.invalidateQueries({
      predicate: ({ queryKey: [id, noun] }) => id === workspace.id && words.has(String(noun)),
    })
  }
}
