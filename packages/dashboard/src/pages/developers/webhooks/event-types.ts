/** Every type of event there is. They change with the version of the server alone. */
import type { EventType } from '@switchyard/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useHere } from '../../../api/workspace.tsx'

export function useEventTypes(): UseQueryResult<readonly EventType[]> {
  const { workspace, api } = useHere()
  return useQuery({
    queryKey: [workspace.id, 'event_type list'],
    queryFn: async ({ signal }): Promise<readonly EventType[]> =>
      (await api.eventTypes.list({ signal }).page()).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Pure. Objects and the types of each: what stands before the dot is the object. */
export function byObject(types: readonly EventType[]): readonly (readonly [string, readonly EventType[]])[] {
  return [...Map.groupBy(types, ({ type }) => type.split('.')[0] as string)]
}

/** Pure. What a choice comes to: all of an object is one word, all of everything another. */
export function toggled(chosen: readonly string[], type: string): readonly string[] {
  if (chosen.includes(type)) return chosen.filter((one) => one !== type)
  if (type === '*') return ['*']
  const [object] = type.split('.')
  const isWhole = type === `${object}.*`
  const rest = chosen.filter((one) => one !== '*' && !(isWhole && one.startsWith(`${object}.`)))
  return [...rest, type]
}
