/**
 * Queries of the pages. The cache key of an object is [workspace, noun, id, part]; the key of a list is
 * [workspace, noun + ' list', filter]. Live updates invalidate queries by the same keys.
 */
import type { List, Switchyard } from '@switchyard/sdk'
import { type UseQueryResult, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWorkspace } from './workspace.tsx'

type Load<Value> = (api: Switchyard, signal: AbortSignal) => Promise<Value>

/** One object, or a part of one: `useObject(['payment', id, 'attempts'], (api) => …)`. */
export function useObject<Value>(
  key: readonly [noun: string, id: string, ...part: unknown[]],
  load: Load<Value>,
  options: {
    readonly enabled?: boolean
    /** A constant, or computed from the last value. */
    readonly refetchInterval?: number | false | ((value: Value) => number | false)
  } = {},
): UseQueryResult<Value> {
  const { workspace, api } = useWorkspace()
  const { refetchInterval: interval = false, ...rest } = options
  return useQuery({
    queryKey: [workspace.id, ...key],
    queryFn: ({ signal }) => load(api, signal),
    // Keep showing the previous data of the same object only: data of another object would mislead the user.
    placeholderData: (before, query) => (query?.queryKey[2] === key[1] ? before : undefined),
    refetchInterval: ({ state: { data } }) => {
      if (typeof interval !== 'function') return interval
      return data === undefined ? false : interval(data)
    },
    ...rest,
  })
}

export type RowsResult<Row> = {
  readonly rows: readonly Row[]
  readonly isPending: boolean
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly refresh: () => void
}

const pageSize = 50

/** A paginated list. `pageOf` adds the cursor and the page size to its filter. */
export function useRows<Row extends { readonly id: string }>(
  key: readonly [noun: string, ...filter: unknown[]],
  pageOf: (api: Switchyard, page: { limit: number; starting_after?: string }) => List<Row>,
  options: { readonly refetchInterval?: number | false } = {},
): RowsResult<Row> {
  const { workspace, api } = useWorkspace()
  const [noun, ...filter] = key
  const query = useInfiniteQuery({
    queryKey: [workspace.id, `${noun} list`, ...filter],
    queryFn: ({ pageParam }) =>
      pageOf(api, { limit: pageSize, ...(pageParam === '' ? {} : { starting_after: pageParam }) }).page(),
    initialPageParam: '',
    getNextPageParam: ({ has_more, data }) => (has_more ? data.at(-1)?.id : undefined),
    ...options,
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  return {
    rows,
    isPending: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refresh: () => void query.refetch(),
  }
}

/** Invalidates the objects and lists of the given nouns after a change. */
export function useInvalidate(): (...nouns: string[]) => Promise<void> {
  const queries = useQueryClient()
  const { workspace } = useWorkspace()
  return async (...nouns) => {
    const keys = new Set(nouns.flatMap((noun) => [noun, `${noun} list`]))
    await queries.invalidateQueries({
      predicate: ({ queryKey: [id, noun] }) => id === workspace.id && keys.has(String(noun)),
    })
  }
}
