/** Resends deliveries and events on request: immediately, and before all other deliveries. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { parseId, timeOf } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import type { Delivery } from '../delivery.ts'
import { deliveryMachine } from '../machine.ts'
import { defaultRecipients, namedRecipients, requireEnabled } from '../recipients.ts'
import type { ResendEvent } from '../schema.ts'
import { lockDelivery } from '../store/read.ts'
import * as store from '../store/resend.ts'
import { oldestResendableTime } from './release.ts'

export function resendDelivery(deps: Deps, caller: Caller, id: string): Promise<Delivery> {
  return transact(deps, caller, async (tx) => {
    const before = await lockDelivery(tx, id)
    nextTransition(deliveryMachine, { state: before.state, trigger: 'resend', facts: { triesLeft: false } })
    const event = await store.findSentEvent(tx, before.eventId)
    const candidates = await store.listCandidates(tx, event)
    const endpoint =
      candidates.find((candidate) => candidate.id === before.webhookEndpointId) ??
      refuse('not_found', { detail: 'The webhook endpoint of this delivery was deleted.' })
    requireEnabled(endpoint)

    const [after] = await store.scheduleResend(tx, event, [endpoint.id])
    assert(after !== undefined, 'scheduleResend must return one delivery for each endpoint.')
    return after
  })
}

/** Resends to the named endpoints. Default: endpoints that subscribe to the event now or have already received it. */
export function resendEvent(
  deps: Deps,
  caller: Caller,
  id: string,
  input: ResendEvent,
): Promise<readonly Delivery[]> {
  return transact(deps, caller, async (tx) => {
    const event = await store.findSentEvent(tx, id)
    if (timeOf(event.id) < oldestResendableTime(tx)) {
      refuseMember('/event_id', 'too_small', 'is older than 30 days and can no longer be sent')
    }
    const candidates = await store.listCandidates(tx, event)
    const { webhook_endpoint_ids: ids } = input
    const recipients =
      ids === undefined
        ? defaultRecipients(candidates)
        : namedRecipients(
            candidates,
            ids.map((endpointId) => parseId('webhook_endpoint', caller.mode, endpointId)),
          )
    return store.scheduleResend(
      tx,
      event,
      recipients.map((candidate) => candidate.id),
    )
  })
}
