/** The names of people by id. Roles without permission to list people see ids. */
import { useQuery } from '@tanstack/react-query'
import { useIsAllowed, useWorkspace } from '../../../api/workspace.tsx'

export function usePersonName(): (personId: string) => string {
  const { workspace, api } = useWorkspace()
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
