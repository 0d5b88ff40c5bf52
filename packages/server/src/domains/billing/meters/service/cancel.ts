/**
 * Cancels usage events that were recorded by mistake. A cancelled event is not counted, and its id is not counted again.
 * If its period was billed, the next invoice contains the correction.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidOf } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { Cancelled, CancelledEvent, EventReference } from '../meter.ts'
import { lockCursor } from '../store/buckets.ts'
import { cancelEvents, type EventName, type FoundEvent, lockEvents } from '../store/cancel.ts'
import { findMetersByName } from '../store/meters.ts'

export function cancelMeterEvents(
  deps: Deps,
  caller: Caller,
  inputs: readonly EventReference[],
): Promise<Cancelled> {
  return transact(deps, caller, async (tx) => ({ inputs, results: await cancelInTx(tx, inputs) }))
}

async function cancelInTx(tx: Tx, inputs: readonly EventReference[]): Promise<CancelledEvent[]> {
  const meters = await findMetersByName(tx, [...new Set(inputs.map((input) => input.event_name))])
  const names = inputs.map(({ event_name: name, id: eventId }): EventName | null => {
    const meter = meters.get(name)
    return meter === undefined ? null : { meterId: meter.id, eventId }
  })
  // Lock the cursor, so that no event is added to the sums in between.
  const counted = (await lockCursor(tx)) ?? 0n
  const wanted = names.filter((name) => name !== null)
  const found = new Map((await lockEvents(tx, wanted)).map((event) => [keyOfRow(event), event]))
  const isNew = (name: EventName) => found.get(keyOf(name))?.is_cancelled === false
  await cancelEvents(tx, wanted.filter(isNew), counted)
  const cancelled = new Set<string>()
  return names.map((name, index): CancelledEvent => {
    if (name === null) return unknownName(inputs[index] as EventReference)
    const event = found.get(keyOf(name))
    if (event === undefined)
      return { code: 'unknown_event', detail: 'There is no such event in the last 35 days.' }
    const isFirst = !event.is_cancelled && !cancelled.has(keyOf(name))
    cancelled.add(keyOf(name))
    return { status: isFirst ? 'cancelled' : 'duplicate' }
  })
}

const unknownName = ({ event_name: name }: EventReference): CancelledEvent => ({
  code: 'unknown_event_name',
  detail: `There is no meter for ${name}.`,
})

const keyOf = ({ meterId, eventId }: EventName) => `${uuidOf(meterId)} ${eventId}`
const keyOfRow = ({ meter_id, event_id }: FoundEvent) => `${meter_id} ${event_id}`
