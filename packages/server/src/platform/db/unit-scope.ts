/**
 * Tracks whether a unit of work is open in the current call chain, and detects outbound calls from inside
 * one. Such a call would hold locks and a connection for its whole duration, and a retried unit would call
 * twice. All HTTP clients of Node publish to these diagnostics channels.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { assert } from '../../kernel/assert.ts'

type OpenUnit = { madeCall: boolean }

const openUnit = new AsyncLocalStorage<OpenUnit>()

for (const channel of ['undici:request:create', 'http.client.request.created']) {
  subscribe(channel, () => {
    const unit = openUnit.getStore()
    if (unit !== undefined) unit.madeCall = true
  })
}

/** Runs the body of a unit. A unit that made an outbound call is not committed. */
export async function insideUnit<T>(body: () => Promise<T>): Promise<T> {
  assert(openUnit.getStore() === undefined, 'Units of work cannot be nested. Pass the existing tx instead.')
  const unit: OpenUnit = { madeCall: false }
  const result = await openUnit.run(unit, body)
  assert(!unit.madeCall, 'An HTTP call was made inside a transaction. Commit first, then make the call.')
  return result
}
