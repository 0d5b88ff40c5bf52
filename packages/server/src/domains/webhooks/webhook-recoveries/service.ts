/**
 * Resends missed events to an endpoint, in the background and at a limited rate.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Id, type Ref, timeOf } from '../../../kernel/id.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { oldestResendableTime, releaseNext } from '../deliveries/service/release.ts'
import { findEndpoint } from '../webhook-endpoints/service.ts'
import { type Trigger, webhookRecoveryMachine } from './machine.ts'
import { batchSizeFor, nextBatchAt } from './pace.ts'
import type { StartRecovery } from './schema.ts'
import * as store from './store.ts'
import { defaultStates, type RecoveryCriteria, type WebhookRecovery } from './webhook-recovery.ts'

/** Only one recovery runs at a time: two would send the same events twice, and exceed the rate. */
export function startRecovery(
  deps: Deps,
  caller: Caller,
  endpointId: string,
  input: StartRecovery,
): Promise<WebhookRecovery> {
  return transact(deps, caller, async (tx) => {
    const id = tx.newId('webhook_recovery')
    // The ids of events contain real time, so `now` is the real time in an id.
    const criteria = toCriteria(input, { now: timeOf(id), oldest: oldestResendableTime(tx) })
    const endpoint = await findEndpoint(tx, endpointId)
    if (endpoint.status === 'disabled') refuseDisabled()
    const running = await store.lockAndFindRunning(tx, endpoint.id)
    if (running !== null) refuseAlreadyRunning(running)

    const recovery: WebhookRecovery = {
      ...criteria,
      id,
      webhookEndpointId: endpoint.id,
      status: webhookRecoveryMachine.initial,
      matched: 0,
      released: 0,
      cursor: null,
      dueAt: tx.now,
      createdAt: tx.now,
      updatedAt: tx.now,
      completedAt: null,
      version: 1,
    }
    await store.insertRecovery(tx, recovery)
    return recovery
  })
}

function toCriteria(input: StartRecovery, { now, oldest }: { now: Date; oldest: Date }): RecoveryCriteria {
  const sinceAt = new Date(input.since_at)
  if (sinceAt < oldest) refuseMember('/since_at', 'too_small', 'must be within the last 30 days')
  if (sinceAt > now) refuseMember('/since_at', 'too_large', 'must not be in the future')
  const until = input.until_at === undefined ? now : new Date(input.until_at)
  if (until < sinceAt) refuseMember('/until_at', 'too_small', 'must not be before since_at')
  return {
    sinceAt,
    // The end is limited to the present.
    untilAt: until < now ? until : now,
    states: input.states ?? defaultStates,
    eventTypes: input.event_types ?? null,
    rate: input.rate ?? null,
    dryRun: input.dry_run ?? false,
  }
}

function refuseDisabled(): never {
  return refuse('invalid_state', {
    detail: 'The webhook endpoint is disabled. Enable it first.',
    current_status: 'disabled',
    allowed_actions: ['enable'],
  })
}

function refuseAlreadyRunning({ id, status }: WebhookRecovery): never {
  return refuse('invalid_state', {
    detail: `The recovery ${id} of this webhook endpoint is still running.`,
    current_status: status,
    allowed_actions: allowedActions(webhookRecoveryMachine, status, {}),
  })
}

type RecoveryKey = { readonly endpointId: string; readonly recoveryId: string }

export function getRecovery(deps: Deps, caller: Caller, key: RecoveryKey): Promise<WebhookRecovery> {
  return read(deps, caller, async (view) => {
    const { id } = await findEndpoint(view, key.endpointId)
    return requireBelongsTo(id, await store.findRecovery(view, key.recoveryId))
  })
}

/** A recovery is not found under another endpoint. */
function requireBelongsTo(endpointId: Id<'webhook_endpoint'>, recovery: WebhookRecovery): WebhookRecovery {
  return recovery.webhookEndpointId === endpointId ? recovery : refuse('not_found', { detail: store.missing })
}

export function listRecoveries(deps: Deps, caller: Caller, range: IdRange, endpointId: string) {
  return read(deps, caller, async (view) => {
    const { id } = await findEndpoint(view, endpointId)
    return store.listRecoveries(view, range, id)
  })
}

/** Deliveries that were already released are still sent. */
export function cancelRecovery(deps: Deps, caller: Caller, key: RecoveryKey): Promise<WebhookRecovery> {
  return transact(deps, caller, async (tx) => {
    const { id } = await findEndpoint(tx, key.endpointId)
    const before = requireBelongsTo(id, await store.lockRecovery(tx, key.recoveryId))
    return endRecovery(tx, before, 'cancel')
  })
}

/** The only function that changes `status`. A repeated action writes nothing. */
async function endRecovery(
  tx: Tx,
  before: WebhookRecovery,
  trigger: Trigger,
  progress: Partial<store.Progress> = {},
): Promise<WebhookRecovery> {
  const row = nextTransition(webhookRecoveryMachine, { state: before.status, trigger, facts: {} })
  if (!isChange(row)) return before
  return store.updateRecovery(tx, before, {
    ...progress,
    status: row.to,
    dueAt: null,
    completedAt: tx.now,
  })
}

/** Background work: releases one batch of a recovery. */
export async function runRecovery(deps: Deps, ref: Ref<'webhook_recovery'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockRecovery(tx, ref.id)
    // Work can run late or twice, so check whether the next batch is due.
    if (before.dueAt === null || before.dueAt > tx.now) return
    const { states, eventTypes, sinceAt, untilAt, cursor, dryRun: onlyCount } = before
    const rate = onlyCount ? null : before.rate
    const batch = await releaseNext(tx, before.webhookEndpointId, {
      states,
      eventTypes,
      sinceAt,
      untilAt,
      cursor,
      onlyCount,
      limit: batchSizeFor(rate),
    })
    if (batch === null) {
      await endRecovery(tx, before, 'endpoint_closed')
      return
    }
    const { cursor: nextCursor, isLast } = batch
    const [matched, released] = [before.matched + batch.matched, before.released + batch.released]
    const progress = { matched, released, cursor: nextCursor }
    if (isLast) await endRecovery(tx, before, 'end_reached', progress)
    else {
      const dueAt = nextBatchAt(tx.now, rate, batch.released)
      await store.updateRecovery(tx, before, { ...progress, dueAt })
    }
  })
}
