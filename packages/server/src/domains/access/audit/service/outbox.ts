/**
 * Audit entries of actions in the control plane. An action and its entry are committed together in the control plane, and
 * the entry is then appended to the chain of its workspace, which may be in another database. If that fails, or the process
 * is killed, the entry stays in the outbox until the leader's periodic task appends it. An entry is appended once,
 * because its id is unique in the chain.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { changeControl, readControl } from '../../../../platform/db/control.ts'
import { type ControlTx, transactControl } from '../../../../platform/db/control-unit.ts'
import { oldestWaitingAuditSeconds } from '../../../../platform/db/inspect.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { LeaderTask } from '../../../../platform/engine/engine.ts'
import type { Metrics } from '../../../../platform/metrics.ts'
import { type Act, entryOf, type Target } from '../audit-entry.ts'
import {
  deleteOutboxEntries,
  insertOutboxEntries,
  listOutboxEntries,
  type OutboxEntry,
} from '../store/outbox.ts'
import { hasEntry, lockHead } from '../store.ts'
import { appendEntry } from './append.ts'

/** A unit of work in the control plane that can record actions in the audit log. */
export type AuditedTx = ControlTx & { readonly recorded: OutboxEntry[] }

/** Runs a unit of work in the control plane, and appends its entries to the audit log after the commit. */
export async function transactInControl<T>(
  deps: Deps,
  caller: Caller,
  body: (tx: AuditedTx) => Promise<T>,
): Promise<T> {
  let committed: readonly OutboxEntry[] = []
  const result = await transactControl(deps, caller, async (tx) => {
    const recorded: OutboxEntry[] = []
    const rowsOfUnit = await body({ ...tx, recorded })
    await insertOutboxEntries(tx, recorded)
    committed = recorded
    return rowsOfUnit
  })
  await appendAll(deps, committed)
  return result
}

/** Records an action in the outbox. It is written at the end of the unit, in the same transaction. */
export function recordControlAct(tx: AuditedTx, act: Act, target: Target): void {
  tx.recorded.push({ workspaceId: tx.caller.workspaceId, entry: entryOf(tx, act, target) })
}

const pageSize = 500

/** Appends the entries that the process that recorded them did not append. */
export async function appendWaitingEntries(deps: Deps): Promise<void> {
  let after: OutboxEntry | null = null
  for (;;) {
    const from: OutboxEntry | null = after
    const page: readonly OutboxEntry[] = await readControl(deps, (db) =>
      listOutboxEntries(db, from, pageSize),
    )
    await appendAll(deps, page)
    after = page.at(-1) ?? null
    if (page.length < pageSize) return
  }
}

/** A workspace whose database is unavailable does not delay the others. Its entries stay in the outbox. */
async function appendAll(deps: Deps, entries: readonly OutboxEntry[]): Promise<void> {
  for (const [workspaceId, own] of Map.groupBy(entries, (entry) => entry.workspaceId))
    await append(deps, own).then(null, (error) =>
      deps.log.warn('Audit entries could not be appended. They will be retried.', {
        workspace_id: workspaceId,
        error,
      }),
    )
}

async function append(deps: Deps, entries: readonly OutboxEntry[]): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  const { workspaceId } = first
  await transact(deps, systemCaller({ workspaceId, id: workspaceId }), (tx) => appendMissing(tx, entries))
  crashpoint('audit.appended')
  await changeControl(deps, (db) => deleteOutboxEntries(db, entries))
}

async function appendMissing(tx: Tx, entries: readonly OutboxEntry[]): Promise<void> {
  let head = await lockHead(tx)
  for (const { entry } of entries) {
    // Checked after the head was locked, so a concurrent process cannot append the same entry.
    if (!(await hasEntry(tx, entry.id))) head = await appendEntry(tx, head, entry)
  }
}

const intervalMs = 10_000

/** Appends waiting entries regularly, in the process that runs the reconciler. */
export function watchAuditOutbox(deps: Deps, metrics: Pick<Metrics, 'auditOutboxOldestSeconds'>): LeaderTask {
  let nextMs = 0
  let running: Promise<void> | null = null
  const run = async () => {
    await appendWaitingEntries(deps)
    metrics.auditOutboxOldestSeconds.set(await readControl(deps, oldestWaitingAuditSeconds))
  }
  return {
    runIfDue() {
      if (running !== null || monotonicMs() < nextMs) return
      nextMs = monotonicMs() + intervalMs
      running = run()
        .then(null, (error) =>
          deps.log.warn('The outbox of the audit log could not be read. It will be retried.', { error }),
        )
        .then(() => {
          running = null
        })
    },
    resetMetrics() {
      nextMs = 0
      metrics.auditOutboxOldestSeconds.reset()
    },
    stop: async () => {
      await running
    },
  }
}
