/**
 * What happens rarely and is told: a delivery that is given up, a receiver that is gone, an endpoint that
 * fails for hours or days. Each is a unit of work of its own, so the change and its event stand together.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { idFromUuid } from '../../../kernel/id.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { disableAs, isSameReceiver, tellFailing, tellRecovered } from '../../webhook-endpoints/service.ts'
import { deliveryExhausted } from '../events.ts'
import { findDelivery } from '../store/read.ts'
import { type Result, writeResults } from '../store/results.ts'
import type { Lane } from './lane.ts'

const hour = 3600
/** Ages of a failure at which it is told. */
const warnAfterSeconds = [hour, 24 * hour, 72 * hour]
const disableAfterSeconds = 5 * 24 * hour
/** Until the receiver that took the place of another is tried. */
const anewSeconds = 1
/** An endpoint that gets an event a week is not judged by one of them. */
const disableAfterDeliveries = 10

/** Deliveries of these tell of deliveries and endpoints; to tell of theirs would go round in circles. */
const isOperational = (type: string) =>
  type === deliveryExhausted.type || type.startsWith('webhook_endpoint.')

type End = {
  readonly owner: string
  readonly result: Result
  readonly eventType: string
  /** That of the lane when the attempt began. */
  readonly epoch: number
}

/** The last attempt failed. */
export async function giveUp(deps: Deps, lane: Lane, { owner, result, eventType }: End): Promise<void> {
  const told = !isOperational(eventType)
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    await writeResults(tx.db, owner, deps.clock.read(), { results: [{ ...result, told }], lanes: [] })
    const delivery = await findDelivery(tx, idFromUuid('delivery', lane.mode, result.deliveryUuid))
    // Somebody changed it meanwhile: then this was not its end.
    const isOurs = delivery.state === 'exhausted' && delivery.version === result.version + 1
    if (told && isOurs) tx.emit(deliveryExhausted, { after: delivery })
  })
}

/** The receiver says that it is gone for good. What it did not get is held, should it come back. */
export async function partWith(deps: Deps, lane: Lane, { owner, result, epoch }: End): Promise<void> {
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    // An address that is no longer the endpoint's may be as gone as it likes.
    const isSame = await isSameReceiver(tx, lane.ref.id, epoch)
    const after = isSame ? result : { ...result, state: 'pending' as const, waitSeconds: anewSeconds }
    await writeResults(tx.db, owner, deps.clock.read(), { results: [after], lanes: [] })
    if (isSame) await disableAs(tx, lane.ref.id, 'gone')
  })
}

export type Concern = { readonly is: 'warn'; readonly level: number } | { readonly is: 'disable' } | null

/** Whether it has failed for so long that somebody should hear of it. Pure. */
export function concernOf(
  failure: { readonly sinceAt: Date | null; readonly deliveries: number },
  warnings: number,
  now: Date,
): Concern {
  if (failure.sinceAt === null) return null
  const seconds = (now.getTime() - failure.sinceAt.getTime()) / 1000
  if (seconds >= disableAfterSeconds && failure.deliveries >= disableAfterDeliveries) return { is: 'disable' }
  const level = warnAfterSeconds.filter((after) => seconds >= after).length
  return level > warnings ? { is: 'warn', level } : null
}

export async function tellOf(deps: Deps, lane: Lane, concern: NonNullable<Concern>): Promise<void> {
  const { epoch } = lane
  const { id } = lane.ref
  await transact(deps, systemCaller(lane.ref), async (tx) => {
    if (concern.is === 'warn') await tellFailing(tx, id, { level: concern.level, epoch })
    else if (await isSameReceiver(tx, id, epoch)) await disableAs(tx, id, 'failing')
  })
}

/** Told only if the failure was. */
export async function tellOfRecovery(deps: Deps, lane: Lane): Promise<void> {
  await transact(deps, systemCaller(lane.ref), (tx) => tellRecovered(tx, lane.ref.id))
}
