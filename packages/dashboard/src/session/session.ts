/** Who is signed in, for every page. One read, shared; a 401 from anywhere ends it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { DoorError, knock, type Session } from './doors.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: 60_000,
  retry: false,
})

/** Null: nobody is signed in. */
async function readSession(): Promise<Session | null> {
  try {
    return await knock<Session>('GET', '/session')
  } catch (error) {
    if (error instanceof DoorError && error.status === 401) return null
    throw error
  }
}

export function useSession(): Session | null {
  return useQuery(sessionQuery).data ?? null
}

/**
 * Leaves the page as a whole, so that nothing of the one who leaves is left in its memory: no token, no answer, no
 * call. Who could not be signed out is told, and stays.
 */
export async function signOut(): Promise<void> {
  try {
    await knock('DELETE', '/session')
  } catch (error) {
    if (!(error instanceof DoorError) || error.status !== 401) throw error
  }
  leavePage()
}

/** To the page for signing in, as a new one. */
export function leavePage(): void {
  location.assign('/sign-in')
}
