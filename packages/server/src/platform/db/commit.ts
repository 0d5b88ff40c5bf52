/** Sends COMMIT and decides whether the changes are kept. */
import type { ClientBase } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { sendText } from './bound-driver.ts'
import { CommitLost, isConnectionLost } from './retries.ts'

/** Connections whose last commit was not confirmed by a synchronous standby, and the warning about it. */
const unconfirmed = new WeakMap<ClientBase, unknown>()

/**
 * If the wait for a synchronous standby is canceled, PostgreSQL reports success and sends a warning. The routine
 * identifies the warning in every language.
 */
const waitingRoutine = 'SyncRepWaitForLSN'

/** Call this for each new connection. `onUnconfirmed` is called for each commit that a standby did not confirm. */
export function watchNotices(client: ClientBase, onUnconfirmed: () => void): void {
  client.on('notice', (notice) => {
    if (notice.routine !== waitingRoutine) return
    unconfirmed.set(client, notice)
    onUnconfirmed()
  })
}

/** Commits the transaction. A commit after a failed statement is a rollback, and is treated as one. */
export async function commit(client: ClientBase): Promise<void> {
  const { command } = await sendText(client, 'commit').catch((error) =>
    Promise.reject(isConnectionLost(error) ? new CommitLost(error) : error),
  )
  assert(command === 'COMMIT', 'A statement of this transaction failed and its error was swallowed.')
  requireConfirmed(client)
}

/** Call this after statements outside of a transaction. */
export function requireConfirmed(client: ClientBase): void {
  const warning = unconfirmed.get(client)
  if (warning === undefined) return
  unconfirmed.delete(client)
  throw new CommitLost(warning)
}
