/** Trying an endpoint out: an event that goes to it alone, in one attempt, while the caller waits. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { type EventSketch, exampleOf } from '../../../platform/db/event-example.ts'
import { endIfAnswered } from '../../../platform/db/replay.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { findEndpoint, tellTest } from '../../webhook-endpoints/service.ts'
import { deliveryIdOf } from '../store/resend.ts'
import { findWithAttempts } from './read.ts'

export type { EventSketch }

const ownType = 'webhook_endpoint.test'

/** `type` is one of `types`; without it the event tells of the endpoint itself. */
export async function testWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  endpointId: string,
  { type = ownType, types }: { readonly type?: string | undefined; readonly types: readonly EventSketch[] },
) {
  const sketch = types.find((one) => one.type === type)
  assert(sketch !== undefined, 'A type that does not exist is refused by the schema.')
  if (caller.mode === 'live' && type !== ownType) {
    refuseMember(
      '/type',
      'not_in_list',
      `must be ${ownType} in the live environment: no sample may look like money`,
    )
  }
  // The answer is committed with the last unit, so the key of the request belongs to that one.
  const trial = await transact(deps, withoutKey(caller), async (tx) => {
    await endIfAnswered(tx.db, caller)
    const { id } = await findEndpoint(tx, endpointId)
    return deliveryIdOf(tx, await tellTrial(tx, id, sketch), id)
  })
  await deps.courier.tryOnce({ workspaceId: caller.workspaceId, id: trial })
  return transact(deps, caller, (tx) => findWithAttempts(tx, trial))
}

function withoutKey(caller: Caller): Caller {
  return caller.request === null ? caller : { ...caller, request: { ...caller.request, replay: null } }
}

async function tellTrial(
  tx: Tx,
  endpointId: Id<'webhook_endpoint'>,
  sketch: EventSketch,
): Promise<Id<'event'>> {
  if (sketch.type === ownType) return tellTest(tx, endpointId)
  // With ids of its own: a receiver that orders by `sequence` takes every sample for a new object.
  const { event, change } = exampleOf(sketch, tx.caller.mode, tx.newId)
  return tx.emit(event, { ...change, onlyTo: endpointId })
}
