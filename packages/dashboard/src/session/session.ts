/** The current session, fetched once and shared by all pages. Any 401 response ends it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchSession, type Session, SessionApiError } from './session-api.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: 60_000,
  retry: false,
})

/** Null if not signed in. */
async function readSession(): Promise<Session | null> {
  try {
    return await fetchSession<Session>('GET', '/session')
  } catch (error) {
    if (error instanceof SessionApiError && error.status === 401) return null
    throw error
  }
}

export function useSession(): Session | null {
  return useQuery(sessionQuery).data ?? null
}

/**
 * Signs out and loads a new page, so that no tokens or data of the user stay in memory. If signing out fails, the
 * promise rejects and the page does not change.
 */
export async function signOut(): Promise<void> {
  try {
    await fetchSession('DELETE', '/session')
  } catch (error) {
    if (!(error instanceof SessionApiError) || error.status !== 401) throw error
  }
  openSignInPage()
}

/** Loads the sign-in page as a new document. */
export function openSignInPage(): void {
  location.assign('/sign-in')
}
