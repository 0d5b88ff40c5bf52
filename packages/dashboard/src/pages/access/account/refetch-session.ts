/** The session contains the user's own data, so it is refetched after a change. */
import { useQueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../../../session/session.ts'

export function useRefetchSession(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
}
