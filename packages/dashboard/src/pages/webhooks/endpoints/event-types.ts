/** All event types. They change only with the server version. */
import type { EventType } from '@switchyard/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useWorkspace } from '../../../api/workspace.tsx'

export function useEventTypes(): UseQueryResult<readonly EventType[]> {
  const { workspace, api } = useWorkspace()
  return useQuery({
    queryKey: [workspace.id, 'event_type list'],
    queryFn: async ({ signal }): Promise<readonly EventType[]> =>
      (await api.eventTypes.list({ signal }).page()).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Groups the types by object, the part before the dot. Has no side effects. */
export function byObject(types: readonly EventType[]): readonly (readonly [string, readonly EventType[]])[] {
  return [...Map.groupBy(types, ({ type }) => type.split('.')[0] as string)]
}

/** Toggles a type. `object.*` replaces the types of its object, and `*` replaces everything. Has no side effects. */
export function toggleType(selected: readonly string[], type: string): readonly string[] {
  if (selected.includes(type)) return selected.filter((one) => one !== type)
  if (type === '*') return ['*']
  const [object] = type.split('.')
  const isAllOfObject = type === `${object}.*`
  const rest = selected.filter((one) => one !== '*' && !(isAllOfObject && one.startsWith(`${object}.`)))
  return [...rest, type]
}
