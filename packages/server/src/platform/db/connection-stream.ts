import { Writable } from 'node:stream'
import type { ClientBase } from 'pg'
import { assert } from '../../kernel/assert.ts'

/**
 * The socket of a database connection. `pg` does not document this member, so nothing else uses it, and a
 * test fails if an upgrade of `pg` changes it.
 */
export function streamOf(client: ClientBase): Writable {
  const { connection } = client as ClientBase & { readonly connection?: { readonly stream?: unknown } }
  const stream = connection?.stream
  assert(
    stream instanceof Writable,
    'pg no longer has client.connection.stream. Find the socket elsewhere, or send each statement separately.',
  )
  return stream
}
