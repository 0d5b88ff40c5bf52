/** What one changes about oneself is told by the session, so it is read again. */
import { useQueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../../../session/session.ts'

export function useRereadSession(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
}
