/** The public API of a workspace, by the SDK. What the dashboard can do, every token of the same role can do. */
import { Switchyard } from '@switchyard/sdk'
import type { Workspace } from '../session/doors.ts'
import { noteCall } from './calls.ts'
import { type TokenSource, tokenSource } from './tokens.ts'

const clients = new Map<string, Switchyard>()

export function clientOf(workspace: Workspace): Switchyard {
  const known = clients.get(workspace.id)
  if (known !== undefined) return known
  const client = new Switchyard({
    // The SDK wants one at the start; each call gets the one that is valid then.
    token: 'session',
    baseUrl: workspace.address,
    maxRetries: 1,
    fetch: withToken(tokenSource(workspace.id)),
    onRequest: noteCall,
  })
  clients.set(workspace.id, client)
  return client
}

function withToken(tokens: TokenSource): typeof fetch {
  const call = async (input: RequestInfo | URL, init: RequestInit | undefined) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${await tokens.get()}`)
    return fetch(input, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  }
  return async (input, init) => {
    const response = await call(input, init)
    if (response.status !== 401) return response
    // Its session may have got a new token since; if it has ended, asking for one says so.
    tokens.forget()
    return call(input, init)
  }
}
