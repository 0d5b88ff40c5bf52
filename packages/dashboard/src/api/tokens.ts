/** API tokens, one per workspace. They are kept in memory only and renewed before they expire. */
import { consumeActivity, hasActivity, recordActivity } from '../session/activity.ts'
import { fetchSession } from '../session/session-api.ts'

type CachedToken = { readonly token: string; readonly receivedMs: number }

/** Tokens expire after ten minutes. The local clock may be wrong, so the age is measured from the time of receipt. */
const maxAgeMs = 8 * 60_000
/** After user activity the token is renewed at this age, so that the server does not end an active session. */
const maxAgeAfterActivityMs = 60_000

export type TokenSource = { readonly get: () => Promise<string>; readonly forget: () => void }

export function tokenSource(workspaceId: string): TokenSource {
  let cached: Promise<CachedToken> | null = null
  const renew = (): Promise<CachedToken> => {
    const request = requestToken(workspaceId)
    cached = request
    // Do not cache a failure: the next caller tries again.
    request.catch(() => {
      if (cached === request) cached = null
    })
    return request
  }
  return {
    async get() {
      const request = cached ?? renew()
      const current = await request
      if (performance.now() - current.receivedMs < (hasActivity() ? maxAgeAfterActivityMs : maxAgeMs))
        return current.token
      // The first caller that finds the token too old renews it for all concurrent callers.
      return (await (cached === request ? renew() : (cached ?? renew()))).token
    },
    forget() {
      cached = null
    },
  }
}

async function requestToken(workspaceId: string): Promise<CachedToken> {
  // Background requests must not count as activity: they would keep the session alive forever.
  const isActive = consumeActivity()
  try {
    const body = { workspace_id: workspaceId, is_active: isActive }
    const { token } = await fetchSession<{ token: string }>('POST', '/session/token', body)
    return { token, receivedMs: performance.now() }
  } catch (error) {
    if (isActive) recordActivity()
    throw error
  }
}
