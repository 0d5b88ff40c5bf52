/**
 * Records usage events. The response follows the commit, so an acknowledged event is never lost. Concurrent
 * calls of a workspace are batched into one transaction. A call with an idempotency key has its own
 * transaction, because its response is stored in the same transaction.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidOf } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { createBatcher } from '../batcher.ts'
import { type EventInput, type EventResult, type MeterEvent, parseEvent, type Recorded } from '../meter.ts'
import { findExistingCustomers, insertEvents, reserveNumbers } from '../store/events.ts'
import { findMetersByName } from '../store/meters.ts'

/** Events per statement. */
const unitSize = 5_000
const batchMs = 20

export function createRecorder(
  deps: Deps,
): (caller: Caller, inputs: readonly EventInput[]) => Promise<Recorded> {
  const recordBatched = createBatcher<Caller, EventInput, EventResult>({
    size: unitSize,
    afterMs: batchMs,
    keyOf: ({ workspaceId }) => workspaceId,
    run: (caller, inputs) => transact(deps, caller, (tx) => recordEvents(tx, inputs)),
  })
  return async (caller, inputs) => {
    if (caller.request?.replay)
      return transact(deps, caller, async (tx) => ({ inputs, results: await recordEvents(tx, inputs) }))
    return { inputs, results: await recordBatched(caller, inputs) }
  }
}

async function recordEvents(tx: Tx, inputs: readonly EventInput[]): Promise<readonly EventResult[]> {
  const meters = await findMetersByName(tx, distinct(inputs.map((input) => input.event_name)))
  const customers = await findExistingCustomers(tx, distinct(inputs.map((input) => input.customer_id)))
  const parsed = inputs.map((input) => parseEvent(input, { meters, customers, now: tx.now }))
  const first = new Map<string, MeterEvent>()
  for (const event of parsed)
    if ('eventId' in event && !first.has(keyOf(event))) first.set(keyOf(event), event)
  const events = [...first.values()]
  const stored = new Set<string>()
  if (events.length > 0) {
    const { before } = await reserveNumbers(tx, events.length)
    for (const { meter_id, event_id } of await insertEvents(tx, events, before))
      stored.add(`${meter_id} ${event_id}`)
  }
  return parsed.map((event): EventResult => {
    if (!('eventId' in event)) return event
    // The first of several equal events is accepted, the others are duplicates.
    return { status: stored.delete(keyOf(event)) ? 'accepted' : 'duplicate' }
  })
}

const keyOf = ({ meterId, eventId }: MeterEvent) => `${uuidOf(meterId)} ${eventId}`
const distinct = (values: readonly string[]) => [...new Set(values)]
