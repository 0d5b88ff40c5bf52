/**
 * Knows whether a unit of work is open in the current chain of calls, and notices a call to a stranger
 * made from inside one: it would hold locks and a connection for as long as the stranger likes, and a
 * repeated unit would call twice. Every HTTP client of Node reports on these channels.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { assert } from '../../kernel/assert.ts'

type OpenUnit = { calledOut: boolean }

const openUnit = new AsyncLocalStorage<OpenUnit>()

for (const channel of ['undici:request:create', 'http.client.request.created']) {
  subscribe(channel, () => {
    const unit = openUnit.getStore()
    if (unit !== undefined) unit.calledOut = true
  })
}

/** Runs the body of a unit; a unit that called out is not committed. */
export async function insideUnit<T>(body: () => Promise<T>): Promise<T> {
  assert(openUnit.getStore() === undefined, 'A unit of work cannot nest. Pass its tx on instead.')
  const unit: OpenUnit = { calledOut: false }
  const result = await openUnit.run(unit, body)
  assert(!unit.calledOut, 'An HTTP call was made inside a transaction. Intend, commit, call, then record.')
  return result
}
