/** People by their ids, for pages that say who did something. Who may not read them sees ids. */
import { useQuery } from '@tanstack/react-query'
import { useHere, useIsAllowed } from '../../../api/workspace.tsx'

export function useNames(): (personId: string) => string {
  const { workspace, api } = useHere()
  const isAllowed = useIsAllowed()('people.list')
  const { data } = useQuery({
    queryKey: [workspace.id, 'person list', 'names'],
    queryFn: async () => {
      const people = await api.people.list({ limit: 100 }).all({ max: 500 })
      return new Map(people.map(({ id, name, email }) => [id, name ?? email]))
    },
    enabled: isAllowed,
    staleTime: 60_000,
  })
  return (personId) => data?.get(personId) ?? personId
}
