/** What can be done with a webhook endpoint. `deps` opens a unit of work; `tx` joins the caller's. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { isChange, step } from '../../kernel/machine.ts'
import type { EventDefinition } from '../../platform/db/events.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../platform/db/unit-of-work.ts'
import { applyInput, defaults, isSame } from './changes.ts'
import * as events from './events.ts'
import { reasonOf, type Trigger, webhookEndpointMachine } from './machine.ts'
import type { CreateWebhookEndpoint, EnableWebhookEndpoint, UpdateWebhookEndpoint } from './schema.ts'
import { observe, observeAll, observeOne } from './service/observe.ts'
import { addSecret } from './service/secrets.ts'
import * as lanes from './store/lanes.ts'
import * as secrets from './store/secrets.ts'
import * as store from './store.ts'
import { maxEndpoints, type ObservedEndpoint, type WebhookEndpoint } from './webhook-endpoint.ts'

export function createWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  input: CreateWebhookEndpoint,
): Promise<ObservedEndpoint> {
  return transact(deps, caller, async (tx) => {
    requireAllowed(deps, caller, input.url)
    if (!(await store.lockRoom(tx))) {
      refuse('limit_reached', { detail: `A workspace has at most ${maxEndpoints} webhook endpoints.` })
    }
    const endpoint = await store.insertEndpoint(tx, applyInput(defaults, input))
    await lanes.insertLane(tx, endpoint.id)
    await addSecret(deps, tx, endpoint.id)
    const after = await observe(tx, endpoint)
    tx.emit(events.webhookEndpointCreated, { after })
    return after
  })
}

export function getWebhookEndpoint(deps: Deps, caller: Caller, id: string): Promise<ObservedEndpoint> {
  return read(deps, caller, async (view) =>
    observeOne(view, await store.findEndpoint(view, id), deps.clock.read()),
  )
}

export function listWebhookEndpoints(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listEndpoints(view, range)
    return { rows: await observeAll(view, rows, deps.clock.read()), hasMore }
  })
}

export function updateWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateWebhookEndpoint & { readonly ifMatch: number | null },
): Promise<ObservedEndpoint> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockPresentEndpoint(tx, id)
    requireVersion(before, input.ifMatch)
    const observed = await observe(tx, before)
    const settings = applyInput(before, input)
    // Nothing changed, so there is nothing to tell.
    if (isSame(settings, before)) return observed

    if (settings.url !== before.url) {
      requireAllowed(deps, caller, settings.url)
      await lanes.closeBreaker(tx, before.id)
    }
    const after = await observe(tx, await store.updateEndpoint(tx, before, settings))
    tx.emit(events.webhookEndpointUpdated, { before: observed, after })
    return after
  })
}

/** The row stays for those who read what was sent to it. Its secrets go, and so does what still waits for it. */
export function deleteWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  id: string,
  ifMatch: number | null,
): Promise<WebhookEndpoint> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockEndpoint(tx, id)
    if (before.deletedAt !== null) return before
    requireVersion(before, ifMatch)
    await secrets.eraseAll(tx, before.id)
    await lanes.sweepSoon(tx, before.id, false)
    const after = await observe(tx, await store.updateEndpoint(tx, before, { deletedAt: tx.now }))
    tx.emit(events.webhookEndpointDeleted, { after })
    return after
  })
}

export function enableWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  id: string,
  { recover = 'held' }: EnableWebhookEndpoint,
): Promise<ObservedEndpoint> {
  return transact(deps, caller, async (tx) =>
    pull(tx, await store.lockPresentEndpoint(tx, id), 'enable', recover),
  )
}

export function disableWebhookEndpoint(deps: Deps, caller: Caller, id: string): Promise<ObservedEndpoint> {
  return transact(deps, caller, async (tx) => pull(tx, await store.lockPresentEndpoint(tx, id), 'disable'))
}

/** The receiver has failed for days, or says that it is gone for good. What is disabled or deleted stays so. */
export async function disableAs(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  reason: 'failing' | 'gone',
): Promise<void> {
  const before = await store.lockEndpoint(tx, id)
  if (before.deletedAt === null) await pull(tx, before, reason === 'gone' ? 'gone' : 'fail')
}

/** Whether what is known of its receiver still counts; `epoch` is the one it was learned in. */
export async function isSameReceiver(tx: Tx, id: Id<'webhook_endpoint'>, epoch: number): Promise<boolean> {
  await store.lockEndpoint(tx, id)
  return lanes.isEpoch(tx, id, epoch)
}

/** Each level is told once. */
export async function tellFailing(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  warning: { readonly level: number; readonly epoch: number },
): Promise<void> {
  await tell(tx, id, events.webhookEndpointFailing, () => lanes.noteWarning(tx, id, warning))
}

export async function tellRecovered(tx: Tx, id: Id<'webhook_endpoint'>): Promise<void> {
  await tell(tx, id, events.webhookEndpointRecovered, () => lanes.noteRecovery(tx, id))
}

/** Says something of an endpoint that is no change of its settings. */
async function tell(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  event: EventDefinition<ObservedEndpoint>,
  isNews: () => Promise<boolean>,
): Promise<void> {
  const before = await store.lockEndpoint(tx, id)
  if (before.deletedAt !== null || !(await isNews())) return
  tx.emit(event, { after: await observe(tx, await store.updateEndpoint(tx, before, {})) })
}

/** A trial: it goes to this endpoint alone, whatever the endpoint asks for. Gives the id of the event. */
export async function tellTest(tx: Tx, id: string): Promise<Id<'event'>> {
  const before = await store.lockPresentEndpoint(tx, id)
  const after = await observe(tx, await store.updateEndpoint(tx, before, {}))
  return tx.emit(events.webhookEndpointTest, { after, onlyTo: after.id })
}

/** For those who need to know that it is there, and what it asks for. A deleted one is not found. */
export function findEndpoint(view: View, id: string): Promise<WebhookEndpoint> {
  return store.findEndpoint(view, id)
}

/** The only writer of `status`: ask the table, write, tell. The caller holds the lock. */
async function pull(
  tx: Tx,
  endpoint: WebhookEndpoint,
  trigger: Trigger,
  recover: 'held' | 'none' = 'none',
): Promise<ObservedEndpoint> {
  const before = await observe(tx, endpoint)
  const row = step(webhookEndpointMachine, { state: endpoint.status, trigger, facts: { recover } })
  if (!isChange(row)) return before

  if (row.effects.includes('close_breaker')) await lanes.closeBreaker(tx, endpoint.id)
  await lanes.sweepSoon(tx, endpoint.id, row.effects.includes('release_held'))
  const disabled = trigger === 'enable' ? null : { reason: reasonOf[trigger], at: tx.now }
  const after = await observe(tx, await store.updateEndpoint(tx, endpoint, { status: row.to, disabled }))
  tx.emit(row.to === 'enabled' ? events.webhookEndpointEnabled : events.webhookEndpointDisabled, {
    before,
    after,
  })
  return after
}

function requireAllowed({ outbound }: Deps, { mode }: Caller, url: string): void {
  const detail = outbound.faultOf(url, mode)
  if (detail === null) return
  refuse('url_not_allowed', { detail, errors: [{ pointer: '/url', code: 'bad_format', detail }] })
}

/** For those who want to change only what they have seen. */
function requireVersion(endpoint: WebhookEndpoint, seen: number | null): void {
  if (seen !== null && seen !== endpoint.version) refuse('version_mismatch')
}
