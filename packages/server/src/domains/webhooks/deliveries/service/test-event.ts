/** Tests an endpoint: sends a test event only to it, in a single attempt, while the caller waits. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { type EventDescription, exampleOf } from '../../../../platform/db/event-example.ts'
import { endIfAnswered } from '../../../../platform/db/replay.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { emitTest, findEndpoint } from '../../webhook-endpoints/service.ts'
import { deliveryIdOf } from '../store/resend.ts'
import { findWithAttempts } from './read.ts'

export type { EventDescription }

const defaultType = 'webhook_endpoint.test'

/** `type` is one of `types`; without it the event is about the endpoint itself. */
export async function testWebhookEndpoint(
  deps: Deps,
  caller: Caller,
  endpointId: string,
  {
    type = defaultType,
    types,
  }: { readonly type?: string | undefined; readonly types: readonly EventDescription[] },
) {
  const description = types.find((candidate) => candidate.type === type)
  assert(description !== undefined, 'The schema of the request must reject unknown types.')
  if (caller.mode === 'live' && type !== defaultType) {
    refuseMember(
      '/type',
      'not_in_list',
      `must be ${defaultType} in the live environment, so that a sample is never mistaken for a real payment`,
    )
  }
  // The last transaction stores the response, so only that one uses the idempotency key.
  const testDelivery = await transact(deps, withoutKey(caller), async (tx) => {
    await endIfAnswered(tx.db, caller)
    const { id } = await findEndpoint(tx, endpointId)
    return deliveryIdOf(tx, await emitTestDelivery(tx, id, description), id)
  })
  await deps.webhookDispatcher.tryOnce({ workspaceId: caller.workspaceId, id: testDelivery })
  return transact(deps, caller, (tx) => findWithAttempts(tx, testDelivery))
}

async function emitTestDelivery(
  tx: Tx,
  endpointId: Id<'webhook_endpoint'>,
  description: EventDescription,
): Promise<Id<'event'>> {
  if (description.type === defaultType) return emitTest(tx, endpointId)
  // Every sample has new ids, so that a receiver that orders by `sequence` treats it as a new object.
  const { event, change } = exampleOf(description, tx.caller.mode, tx.newId)
  return tx.emit(event, { ...change, onlyTo: endpointId })
}
