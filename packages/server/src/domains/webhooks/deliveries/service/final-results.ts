/**
 * Rare results that emit events: an exhausted delivery, a receiver that is gone, an endpoint that fails for
 * hours or days. Each has its own transaction, so that the change and its event are atomic.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { idFromUuid } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import {
  disableWithReason,
  emitFailing,
  emitRecovered,
  isSameReceiver,
} from '../../webhook-endpoints/service.ts'
import { deliveryExhausted } from '../events.ts'
import { findDelivery } from '../store/read.ts'
import { type Result, writeResults } from '../store/results.ts'
import type { Lane } from './lane.ts'

const hour = 3600
/** An endpoint that has failed for this long emits `webhook_endpoint.failing`, once for each duration. */
const warnAfterSeconds = [hour, 24 * hour, 72 * hour]
const disableAfterSeconds = 5 * 24 * hour
/** The wait before a delivery is sent again after a reset, for example to a new URL. */
const afterResetWaitSeconds = 1
/** An endpoint with few events is not disabled because of a single failing one. */
const disableAfterDeliveries = 10

/**
 * Events about deliveries and endpoints. `delivery.exhausted` is not emitted for them, because that could
 * cause an endless loop.
 */
const isOperational = (type: string) =>
  type === deliveryExhausted.type || type.startsWith('webhook_endpoint.')

type FinalResult = {
  readonly owner: string
  readonly result: Result
  readonly eventType: string
  /** The epoch of the lane when the attempt started. */
  readonly epoch: number
}

/** Marks a delivery as exhausted after its last attempt failed. */
export async function exhaustDelivery(
  deps: Deps,
  lane: Lane,
  { owner, result, eventType }: FinalResult,
): Promise<void> {
  const emitsEvent = !isOperational(eventType)
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    await writeResults(tx.db, owner, deps.clock.read(), { results: [{ ...result, emitsEvent }], lanes: [] })
    const delivery = await findDelivery(tx, idFromUuid('delivery', lane.mode, result.deliveryUuid))
    // If the delivery was changed concurrently, this result is ignored.
    const isExhausted = delivery.state === 'exhausted' && delivery.version === result.version + 1
    if (emitsEvent && isExhausted) tx.emit(deliveryExhausted, { after: delivery })
  })
}

/**
 * Disables an endpoint that responded with 410. Its undelivered events are held, in case it is enabled again.
 */
export async function disableGoneEndpoint(
  deps: Deps,
  lane: Lane,
  { owner, result, epoch }: FinalResult,
): Promise<void> {
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    // A 410 from before a reset, for example from the previous URL, must not disable the endpoint.
    const isCurrent = await isSameReceiver(tx, lane.ref.id, epoch)
    const written = isCurrent
      ? result
      : { ...result, state: 'pending' as const, waitSeconds: afterResetWaitSeconds }
    await writeResults(tx.db, owner, deps.clock.read(), { results: [written], lanes: [] })
    if (isCurrent) await disableWithReason(tx, lane.ref.id, 'gone')
  })
}

export type EndpointAlert =
  | { readonly kind: 'warn'; readonly level: number }
  | { readonly kind: 'disable' }
  | null

/** Decides whether an endpoint has failed long enough for a warning event or to be disabled. Has no side effects. */
export function decideAlert(
  failure: { readonly sinceAt: Date | null; readonly deliveries: number },
  warnings: number,
  now: Date,
): EndpointAlert {
  if (failure.sinceAt === null) return null
  const seconds = (now.getTime() - failure.sinceAt.getTime()) / 1000
  if (seconds >= disableAfterSeconds && failure.deliveries >= disableAfterDeliveries)
    return { kind: 'disable' }
  const level = warnAfterSeconds.filter((after) => seconds >= after).length
  return level > warnings ? { kind: 'warn', level } : null
}

export async function emitAlert(deps: Deps, lane: Lane, alert: NonNullable<EndpointAlert>): Promise<void> {
  const { epoch } = lane
  const { id } = lane.ref
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    if (alert.kind === 'warn') await emitFailing(tx, id, { level: alert.level, epoch })
    else if (await isSameReceiver(tx, id, epoch)) await disableWithReason(tx, id, 'failing')
  })
}

/** Emits `webhook_endpoint.recovered` if the failure was reported. */
export async function emitRecovery(deps: Deps, lane: Lane): Promise<void> {
  await transact(deps, systemCaller(lane.ref), (tx) => emitRecovered(tx, lane.ref.id))
}
