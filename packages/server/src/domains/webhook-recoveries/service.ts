/** Sending once more what an endpoint missed, in the background and at a pace. `deps` opens a unit of work. */
import type { Deps } from '../../deps.ts'
import { type Caller, systemCaller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { type Id, type Ref, timeOf } from '../../kernel/id.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { reachOf, releaseNext } from '../deliveries/service/release.ts'
import { findEndpoint } from '../webhook-endpoints/service.ts'
import { type Trigger, webhookRecoveryMachine } from './machine.ts'
import { nextStepAt, portionOf } from './pace.ts'
import type { StartRecovery } from './schema.ts'
import * as store from './store.ts'
import { type RecoveryTerms, usualStates, type WebhookRecovery } from './webhook-recovery.ts'

/** One at a time: two would send what was delivered twice over, and no rate would hold. */
export function startRecovery(
  deps: Deps,
  caller: Caller,
  endpointId: string,
  input: StartRecovery,
): Promise<WebhookRecovery> {
  return transact(deps, caller, async (tx) => {
    const id = tx.newId('webhook_recovery')
    // Events are dated by the wall, and so is an id.
    const terms = termsOf(input, { now: timeOf(id), reach: reachOf(tx) })
    const endpoint = await findEndpoint(tx, endpointId)
    if (endpoint.status === 'disabled') refuseDisabled()
    const running = await store.lockRunning(tx, endpoint.id)
    if (running !== null) refuseSecond(running)

    const recovery: WebhookRecovery = {
      ...terms,
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

function termsOf(input: StartRecovery, { now, reach }: { now: Date; reach: Date }): RecoveryTerms {
  const sinceAt = new Date(input.since_at)
  if (sinceAt < reach) refuseMember('/since_at', 'too_small', 'must lie within the last 30 days')
  if (sinceAt > now) refuseMember('/since_at', 'too_large', 'must not lie in the future')
  const until = input.until_at === undefined ? now : new Date(input.until_at)
  if (until < sinceAt) refuseMember('/until_at', 'too_small', 'must not lie before since_at')
  return {
    sinceAt,
    // What has not happened yet was not missed.
    untilAt: until < now ? until : now,
    states: input.states ?? usualStates,
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

function refuseSecond({ id, status }: WebhookRecovery): never {
  return refuse('invalid_state', {
    detail: `The recovery ${id} of this webhook endpoint is still running.`,
    current_status: status,
    allowed_actions: allowedActions(webhookRecoveryMachine, status, {}),
  })
}

type Place = { readonly endpointId: string; readonly recoveryId: string }

export function getRecovery(deps: Deps, caller: Caller, place: Place): Promise<WebhookRecovery> {
  return read(deps, caller, async (view) => {
    const { id } = await findEndpoint(view, place.endpointId)
    return requireOf(id, await store.findRecovery(view, place.recoveryId))
  })
}

/** Under another endpoint there is no such recovery. */
function requireOf(endpointId: Id<'webhook_endpoint'>, recovery: WebhookRecovery): WebhookRecovery {
  return recovery.webhookEndpointId === endpointId ? recovery : refuse('not_found', { detail: store.missing })
}

export function listRecoveries(deps: Deps, caller: Caller, range: IdRange, endpointId: string) {
  return read(deps, caller, async (view) => {
    const { id } = await findEndpoint(view, endpointId)
    return store.listRecoveries(view, range, id)
  })
}

/** What was released already goes out; nothing more is. */
export function cancelRecovery(deps: Deps, caller: Caller, place: Place): Promise<WebhookRecovery> {
  return transact(deps, caller, async (tx) => {
    const { id } = await findEndpoint(tx, place.endpointId)
    const before = requireOf(id, await store.lockRecovery(tx, place.recoveryId))
    return end(tx, before, 'cancel')
  })
}

/** The only writer of `status`. What already holds is not written again. */
async function end(
  tx: Tx,
  before: WebhookRecovery,
  trigger: Trigger,
  progress: Partial<store.Progress> = {},
): Promise<WebhookRecovery> {
  const row = step(webhookRecoveryMachine, { state: before.status, trigger, facts: {} })
  if (!isChange(row)) return before
  return store.updateRecovery(tx, before, {
    ...progress,
    status: row.to,
    dueAt: null,
    completedAt: tx.now,
  })
}

/** Work: one step of a recovery, short enough to be cut off at any time. */
export async function runRecovery(deps: Deps, ref: Ref<'webhook_recovery'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockRecovery(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.dueAt === null || before.dueAt > tx.now) return
    const { states, eventTypes, sinceAt, untilAt, cursor, dryRun: onlyCount } = before
    const rate = onlyCount ? null : before.rate
    const found = await releaseNext(tx, before.webhookEndpointId, {
      ...{ states, eventTypes, sinceAt, untilAt, cursor, onlyCount },
      limit: portionOf(rate),
    })
    if (found === null) {
      await end(tx, before, 'endpoint_closed')
      return
    }
    const { cursor: reached, isLast } = found
    const [matched, released] = [before.matched + found.matched, before.released + found.released]
    const progress = { matched, released, cursor: reached }
    if (isLast) await end(tx, before, 'end_reached', progress)
    else {
      const dueAt = nextStepAt(tx.now, rate, found.released)
      await store.updateRecovery(tx, before, { ...progress, dueAt })
    }
  })
}
