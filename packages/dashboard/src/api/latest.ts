/**
 * Reads the latest objects of a list up to a limit: enough for a chart, or for a filter that the API does not have.
 * Pages that use it show how far back the data reaches.
 */
import type { List, Switchyard } from '@switchyard/sdk'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { RowsResult } from './queries.ts'
import { useWorkspace } from './workspace.tsx'

/** The maximum number of objects, read in pages of 100. */
export const maxLatest = 1_000

export function useLatest<Row extends { readonly id: string }>(
  key: readonly [noun: string, ...filter: unknown[]],
  listOf: (api: Switchyard, page: { limit: number }) => List<Row>,
  options: {
    readonly max?: number
    readonly refetchInterval?: number | false
    readonly enabled?: boolean
  } = {},
): UseQueryResult<readonly Row[]> {
  const { workspace, api } = useWorkspace()
  const [noun, ...filter] = key
  const { max = maxLatest, ...rest } = options
  return useQuery({
    queryKey: [workspace.id, `${noun} list`, 'latest', ...filter],
    queryFn: (): Promise<readonly Row[]> => listOf(api, { limit: Math.min(100, max) }).all({ max }),
    placeholderData: keepPreviousData,
    ...rest,
  })
}

/** The result of `useLatest` as table rows, filtered by `isShown`. */
export function rowsOf<Row extends { readonly id: string }>(
  query: UseQueryResult<readonly Row[]>,
  isShown: (row: Row) => boolean,
): RowsResult<Row> {
  return {
    rows: (query.data ?? []).filter(isShown),
    isPending: query.isPending,
    error: query.error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => undefined,
    refresh: () => void query.refetch(),
  }
}
