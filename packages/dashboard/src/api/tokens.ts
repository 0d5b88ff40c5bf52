/** Tokens for the API, one for each workspace, kept in memory alone and renewed before they are over. */
import { takeActivity } from '../session/activity.ts'
import { knock } from '../session/doors.ts'

type Held = { readonly token: string; readonly sinceMs: number }

/** They last ten minutes by the clock of the server. Ours may be wrong, so only how long we have it counts. */
const keepMs = 8 * 60_000

export type TokenSource = { readonly get: () => Promise<string>; readonly forget: () => void }

export function tokenSource(workspaceId: string): TokenSource {
  let held: Promise<Held> | null = null
  const ask = async (): Promise<Held> => {
    // What a page does by itself must not count as a visit: it would keep the session alive for ever.
    const body = { workspace_id: workspaceId, is_active: takeActivity() }
    const { token } = await knock<{ token: string }>('POST', '/session/token', body)
    return { token, sinceMs: performance.now() }
  }
  const renew = (): Promise<Held> => {
    const asked = ask()
    held = asked
    // Who asks next should not get the failure of this time.
    asked.catch(() => {
      if (held === asked) held = null
    })
    return asked
  }
  return {
    async get() {
      const found = await (held ?? renew())
      return (performance.now() - found.sinceMs < keepMs ? found : await renew()).token
    },
    forget() {
      held = null
    },
  }
}
