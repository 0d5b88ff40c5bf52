/**
 * The commands on webhook endpoints. `deps` opens a transaction; `tx` joins the transaction of the caller.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { lockAndCheckLimit } from '../../../platform/db/name-lock.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { applyInput, defaults, isSame } from './changes.ts'
import * as events from './events.ts'
import { reasonByTrigger, type Trigger, webhookEndpointMachine } from './machine.ts'
import type { CreateWebhookEndpoint, EnableWebhookEndpoint, UpdateWebhookEndpoint } from './schema.ts'
import { loadDetails, loadDetailsAt, loadDetailsOfAll } from './service/details.ts'
import { addSecret } from './service/secrets.ts'
import * as lanes from './store/lanes.ts'
import * as secrets from './store/secrets.ts'
import * as store from './store.ts'
import { type EndpointDetails, maxEndpoints, type WebhookEndpoint } from './webhook-endpoint.ts'

export function createWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  input: CreateWebhookEndpoint,
): Promise<EndpointDetails> {
  return transact(deps, caller, async (tx) => {
    requireAllowed(deps, caller, input.url)
    if (!(await lockAndCheckLimit(tx, 'webhook_endpoints', maxEndpoints))) {
      refuse('limit_reached', { detail: `Limit reached: at most ${maxEndpoints} webhook endpoints.` })
    }
    const endpoint = await store.insertEndpoint(tx, applyInput(defaults, input))
    await lanes.insertLane(tx, endpoint.id)
    await addSecret(deps, tx, endpoint.id)
    const after = await loadDetails(tx, endpoint)
    tx.emit(events.webhookEndpointCreated, { after })
    return after
  })
}

export function getWebhookEndpoint(deps: Deps, caller: Caller, id: string): Promise<EndpointDetails> {
  return read(deps, caller, async (view) =>
    loadDetailsAt(view, await store.findEndpoint(view, id), deps.clock.read()),
  )
}

export function listWebhookEndpoints(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listEndpoints(view, range)
    return { rows: await loadDetailsOfAll(view, rows, deps.clock.read()), hasMore }
  })
}

export function updateWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateWebhookEndpoint & { readonly ifMatch: number | null },
): Promise<EndpointDetails> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockPresentEndpoint(tx, id)
    requireVersion(before, input.ifMatch)
    const details = await loadDetails(tx, before)
    const settings = applyInput(before, input)
    // Nothing changed, so no event is emitted.
    if (isSame(settings, before)) return details

    if (settings.url !== before.url) {
      requireAllowed(deps, caller, settings.url)
      await lanes.closeBreaker(tx, before.id)
    }
    const after = await loadDetails(tx, await store.updateEndpoint(tx, before, settings))
    tx.emit(events.webhookEndpointUpdated, { before: details, after })
    return after
  })
}

/**
 * The row is kept, so that earlier deliveries can be read. Its secrets and pending deliveries are deleted.
 */
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
    await secrets.deleteAll(tx, before.id)
    await lanes.scheduleSweep(tx, before.id, false)
    const after = await loadDetails(tx, await store.updateEndpoint(tx, before, { deletedAt: tx.now }))
    tx.emit(events.webhookEndpointDeleted, { after })
    return after
  })
}

export function enableWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  id: string,
  { recover = 'held' }: EnableWebhookEndpoint,
): Promise<EndpointDetails> {
  return transact(deps, caller, async (tx) =>
    transition(tx, await store.lockPresentEndpoint(tx, id), 'enable', recover),
  )
}

export function disableWebhookEndpoint(deps: Deps, caller: Caller, id: string): Promise<EndpointDetails> {
  return transact(deps, caller, async (tx) =>
    transition(tx, await store.lockPresentEndpoint(tx, id), 'disable'),
  )
}

/**
 * Disables an endpoint that has failed for days or responded with 410. A disabled or deleted endpoint does
 * not change.
 */
export async function disableWithReason(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  reason: 'failing' | 'gone',
): Promise<void> {
  const before = await store.lockEndpoint(tx, id)
  if (before.deletedAt === null) await transition(tx, before, reason === 'gone' ? 'gone' : 'fail')
}

/** Whether the health has not been reset since `epoch`, for example by a new URL. */
export async function isSameReceiver(tx: Tx, id: Id<'webhook_endpoint'>, epoch: number): Promise<boolean> {
  await store.lockEndpoint(tx, id)
  return lanes.isCurrentEpoch(tx, id, epoch)
}

/** Emits `webhook_endpoint.failing` once for each level. */
export async function emitFailing(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  warning: { readonly level: number; readonly epoch: number },
): Promise<void> {
  await updateAndEmit(tx, id, events.webhookEndpointFailing, () => lanes.recordWarning(tx, id, warning))
}

export async function emitRecovered(tx: Tx, id: Id<'webhook_endpoint'>): Promise<void> {
  await updateAndEmit(tx, id, events.webhookEndpointRecovered, () => lanes.recordRecovery(tx, id))
}

/** Emits an event that is not a change of settings. `update` returns false if there is nothing to report. */
async function updateAndEmit(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
  event: EventDefinition<EndpointDetails>,
  update: () => Promise<boolean>,
): Promise<void> {
  const before = await store.lockEndpoint(tx, id)
  if (before.deletedAt !== null || !(await update())) return
  tx.emit(event, { after: await loadDetails(tx, await store.updateEndpoint(tx, before, {})) })
}

/** Emits a test event only to this endpoint, whatever it subscribes to. Returns the id of the event. */
export async function emitTest(tx: Tx, id: string): Promise<Id<'event'>> {
  const before = await store.lockPresentEndpoint(tx, id)
  const after = await loadDetails(tx, await store.updateEndpoint(tx, before, {}))
  return tx.emit(events.webhookEndpointTest, { after, onlyTo: after.id })
}

/** A deleted endpoint is not found. */
export function findEndpoint(view: View, id: string): Promise<WebhookEndpoint> {
  return store.findEndpoint(view, id)
}

/** The only function that changes `status`. The caller holds the lock. */
async function transition(
  tx: Tx,
  endpoint: WebhookEndpoint,
  trigger: Trigger,
  recover: 'held' | 'none' = 'none',
): Promise<EndpointDetails> {
  const before = await loadDetails(tx, endpoint)
  const row = nextTransition(webhookEndpointMachine, { state: endpoint.status, trigger, facts: { recover } })
  if (!isChange(row)) return before

  if (row.effects.includes('close_breaker')) await lanes.closeBreaker(tx, endpoint.id)
  await lanes.scheduleSweep(tx, endpoint.id, row.effects.includes('release_held'))
  const disabled = trigger === 'enable' ? null : { reason: reasonByTrigger[trigger], at: tx.now }
  const after = await loadDetails(tx, await store.updateEndpoint(tx, endpoint, { status: row.to, disabled }))
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

function requireVersion(endpoint: WebhookEndpoint, ifMatch: number | null): void {
  if (ifMatch !== null && ifMatch !== endpoint.version) refuse('version_mismatch')
}
