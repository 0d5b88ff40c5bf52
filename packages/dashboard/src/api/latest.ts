/**
 * A look at the latest objects of a list, bounded: enough for a chart or a filter that the API does not have, and
 * never a read of all history. Whoever shows it says how far it reached.
 */
import type { List, Switchyard } from '@switchyard/sdk'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Rows } from './queries.ts'
import { useHere } from './workspace.tsx'

/** So many objects at most, in pages of a hundred. */
export const lookAtMost = 1_000

export function useLatest<Row extends { readonly id: string }>(
  key: readonly [noun: string, ...filter: unknown[]],
  listOf: (api: Switchyard, page: { limit: number }) => List<Row>,
  options: {
    readonly max?: number
    readonly refetchInterval?: number | false
    readonly enabled?: boolean
  } = {},
): UseQueryResult<readonly Row[]> {
  const { workspace, api } = useHere()
  const [noun, ...filter] = key
  const { max = lookAtMost, ...rest } = options
  return useQuery({
    queryKey: [workspace.id, `${noun} list`, 'latest', ...filter],
    queryFn: (): Promise<readonly Row[]> => listOf(api, { limit: Math.min(100, max) }).all({ max }),
    placeholderData: keepPreviousData,
    ...rest,
  })
}

/** The same as rows of a table, of which `keep` says which ones are shown. */
export function rowsOf<Row extends { readonly id: string }>(
  look: UseQueryResult<readonly Row[]>,
  keep: (row: Row) => boolean,
): Rows<Row> {
  return {
    rows: (look.data ?? []).filter(keep),
    isPending: look.isPending,
    error: look.error,
    hasMore: false,
    isReadingMore: false,
    readMore: () => undefined,
    refresh: () => void look.refetch(),
  }
}
