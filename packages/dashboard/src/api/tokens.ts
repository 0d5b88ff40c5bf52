/** Tokens for the API, one for each workspace, kept in memory alone and renewed before they are over. */
import { hasActivity, noteActivity, takeActivity } from '../session/activity.ts'
import { knock } from '../session/doors.ts'

type Held = { readonly token: string; readonly sinceMs: number }

/** They last ten minutes by the clock of the server. Ours may be wrong, so only how long we have it counts. */
const keepMs = 8 * 60_000
/** So soon the server is told that somebody is at work, or it would take them for gone. */
const tellMs = 60_000

export type TokenSource = { readonly get: () => Promise<string>; readonly forget: () => void }

export function tokenSource(workspaceId: string): TokenSource {
  let held: Promise<Held> | null = null
  const renew = (): Promise<Held> => {
    const asked = ask(workspaceId)
    held = asked
    // Who asks next should not get the failure of this time.
    asked.catch(() => {
      if (held === asked) held = null
    })
    return asked
  }
  return {
    async get() {
      const asked = held ?? renew()
      const found = await asked
      if (performance.now() - found.sinceMs < (hasActivity() ? tellMs : keepMs)) return found.token
      // Of several that find it old, the first renews it for all.
      return (await (held === asked ? renew() : (held ?? renew()))).token
    },
    forget() {
      held = null
    },
  }
}

async function ask(workspaceId: string): Promise<Held> {
  // What a page does by itself must not count as a visit: it would keep the session alive for ever.
  const isActive = takeActivity()
  try {
    const body = { workspace_id: workspaceId, is_active: isActive }
    const { token } = await knock<{ token: string }>('POST', '/session/token', body)
    return { token, sinceMs: performance.now() }
  } catch (error) {
    if (isActive) noteActivity()
    throw error
  }
}
