// Processes the due work of a payment scenario at scenario time, and finishes the scenario after its last
// step. It calls the real handlers, but finds due work with its own query: the real query covers all
// workspaces and is too slow here.

import type { WorkType } from '../../src/deps.ts'
import { expirePayments, resolvePayments } from '../../src/domains/payments/payments/work.ts'
import { processProviderEvents } from '../../src/domains/routing/provider-webhooks/work.ts'
import { idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import { isLostCommit, trackBackgroundTask } from './harness.ts'
import type { InjectedFault } from './payment-scenario.ts'
import {
  advanceTime,
  type DueItem,
  type DueWorkSource,
  type ScenarioRun,
  waitForBackgroundTasks,
} from './scenario-run.ts'
import { runInProcess, SimulatedCrash, SimulatedProcess } from './simulated-process.ts'

export const paymentHandlers: Readonly<Record<string, WorkType>> = {
  resolve: resolvePayments,
  expire: expirePayments,
  provider_event: processProviderEvents,
}

async function findDueWork({ harness, workspace, floor }: ScenarioRun): Promise<DueItem[]> {
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query({
    name: 'due_payment_work',
    text: `select 'resolve' as work, payment_id as id, min(due_at) as at, false as is_authorization_expiry from operations
       where workspace_id = $1 and payment_id >= $2 and due_at is not null group by payment_id
     union all select 'expire', id, due_at, status = 'requires_capture' from payments
       where workspace_id = $1 and id >= $2 and due_at is not null
     union all select 'provider_event', id, due_at, false from provider_events
       where workspace_id = $1 and id >= $2 and due_at is not null
     order by 3`,
    values: [uuidOf(workspace.workspaceId), floor],
  })
  return rows.map((row) => ({
    work: row.work,
    id: row.id,
    atMs: row.at.getTime(),
    isAuthorizationExpiry: row.is_authorization_expiry,
  }))
}

export const duePaymentWork: DueWorkSource = { handlers: paymentHandlers, findDueWork }

/** A scenario that still has due work after this many rounds is reported as a violation. */
const maxRounds = 40

type WorkOptions = { readonly concurrently: boolean; readonly fault: InjectedFault }

export async function processWork(run: ScenarioRun, options: WorkOptions): Promise<string> {
  return (await processDueWork(run, options)).summary
}

export type WorkResult = {
  readonly summary: string
  /** Work that is due later; null if it is unknown, because the worker stopped or a webhook was not accepted yet. */
  readonly later: readonly DueItem[] | null
}

export async function processDueWork(
  run: ScenarioRun,
  { concurrently, fault }: WorkOptions,
): Promise<WorkResult> {
  const pendingWebhooks = await flushWebhooks(run)
  const simulated = new SimulatedProcess(fault)
  let handled = 0
  for (let round = 0; round < maxRounds; round += 1) {
    const all = await run.dueWork.findDueWork(run)
    const dueItems = all.filter(({ atMs }) => atMs <= run.harness.clock.nowMs())
    if (dueItems.length === 0)
      return { summary: `${handled} handled`, later: pendingWebhooks > 0 ? null : all }
    const hasFinished = await handleEach(run, dueItems, () =>
      concurrently ? [simulated, new SimulatedProcess(null)] : [simulated],
    )
    if (!hasFinished)
      return {
        summary: `the worker ${simulated.hasCrashed ? 'crashed' : 'stopped'} after handling ${handled} items`,
        later: null,
      }
    handled += dueItems.length
  }
  const due = new Set((await run.dueWork.findDueWork(run)).map((item) => item.work))
  run.violations.push(`still due after many rounds of work: ${[...due].join(', ')}`)
  return { summary: `${handled} handled, and more work is due`, later: null }
}

/** Returns false if the worker stopped before all work was handled. */
async function handleEach(
  run: ScenarioRun,
  dueItems: readonly DueItem[],
  createProcesses: () => SimulatedProcess[],
): Promise<boolean> {
  for (const due of dueItems) {
    const results = await Promise.all(createProcesses().map((simulated) => handle(run, due, simulated)))
    if (results.includes('stopped')) return false
  }
  return true
}

async function handle(
  run: ScenarioRun,
  { work: name, id }: DueItem,
  simulated: SimulatedProcess,
): Promise<'handled' | 'stopped'> {
  const { harness, workspace } = run
  const handler = run.dueWork.handlers[name] as WorkType
  const ref = { workspaceId: workspace.workspaceId, id: idFromUuid(handler.objectKind, 'test', id) }
  const handling = runInProcess(simulated, () => handler.handle(harness.deps, ref)).then(
    () => 'handled' as const,
    (error: unknown) => {
      if (!(error instanceof SimulatedCrash) && !isLostCommit(error))
        run.violations.push(
          `the work ${handler.name} failed: ${error instanceof Error ? error.stack : error}`,
        )
      return 'stopped' as const
    },
  )
  trackBackgroundTask(harness, handling, simulated)
  return Promise.race([handling, simulated.frozen.then(() => 'stopped' as const)])
}

/** Returns how many webhooks the server has not accepted, for example because the database timed out. */
async function flushWebhooks({ harness, workspace }: ScenarioRun): Promise<number> {
  let pending = 0
  for (const account of workspace.accounts) {
    const flushed = await harness.simulator.control<{ waiting: number }>('POST', `${account}/webhooks/flush`)
    pending += flushed.waiting
  }
  return pending
}

const maxIterations = 120
/**
 * At most this many authorization expiries are processed: an expiry is retried forever if the provider does
 * not void the authorization.
 */
const maxExpiries = 4

/** Ends all provider outages, or starts one if the scenario ends in an outage. Thaws frozen processes. */
export async function setFinalProviderState({ harness, workspace, scenario }: ScenarioRun): Promise<void> {
  const endsInOutage = scenario.ending === 'outage'
  const change = endsInOutage
    ? { outage: true, outage_manner: 'plain' }
    : { outage: false, latency_ms: 0, auth_rate: 1 }
  for (const account of workspace.accounts)
    await harness.simulator.control('PUT', `${account}/config`, change)
  harness.freezer.thaw()
  await waitForBackgroundTasks(harness)
}

/** Processes work and advances the time until no work is due. */
export async function finishPayments(run: ScenarioRun): Promise<void> {
  const { harness, scenario } = run
  await setFinalProviderState(run)
  let expiries = 0
  for (let iteration = 0; iteration < maxIterations && run.violations.length === 0; iteration += 1) {
    const { later } = await processDueWork(run, { concurrently: false, fault: null })
    const includesExpiries = scenario.ending === 'until_authorizations_expire' && expiries < maxExpiries
    // The worker stopped or a webhook was refused, for example because the database timed out: try again.
    if (later === null) continue
    const [next] = later.filter(({ isAuthorizationExpiry }) => !isAuthorizationExpiry || includesExpiries)
    if (next === undefined) return
    if (next.isAuthorizationExpiry) expiries += 1
    await advanceTime(run, Math.max(0, next.atMs - harness.clock.nowMs()))
  }
  if (run.violations.length === 0) run.violations.push('still busy: the scenario does not become idle')
}
