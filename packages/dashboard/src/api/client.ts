/** The SDK client of a workspace. It uses only the public API: an API token with the same role can do the same. */
import { Switchyard } from '@switchyard/sdk'
import type { Workspace } from '../session/session-api.ts'
import { recordCall } from './calls.ts'
import { type TokenSource, tokenSource } from './tokens.ts'

const clients = new Map<string, Switchyard>()

export function clientOf(workspace: Workspace): Switchyard {
  const cached = clients.get(workspace.id)
  if (cached !== undefined) return cached
  const client = new Switchyard({
    // The SDK requires a token; `withToken` replaces it with the current one on each request.
    token: 'session',
    baseUrl: workspace.address,
    maxRetries: 1,
    fetch: withToken(tokenSource(workspace.id)),
    onRequest: recordCall,
  })
  clients.set(workspace.id, client)
  return client
}

function withToken(tokens: TokenSource): typeof fetch {
  const send = async (input: RequestInfo | URL, init: RequestInit | undefined) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${await tokens.get()}`)
    return fetch(input, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  }
  return async (input, init) => {
    const response = await send(input, init)
    if (response.status !== 401) return response
    // The token may have expired: request a new one. That fails if the session has ended.
    tokens.forget()
    return send(input, init)
  }
}
