/** Sending once more what a person asks for: at once, and before everything else. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { parseId, timeOf } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import type { Delivery } from '../delivery.ts'
import { deliveryMachine } from '../machine.ts'
import { namedRecipients, requireEnabled, usualRecipients } from '../recipients.ts'
import type { ResendEvent } from '../schema.ts'
import { lockDelivery } from '../store/read.ts'
import * as store from '../store/resend.ts'
import { reachOf } from './release.ts'

export function resendDelivery(deps: Deps, caller: Caller, id: string): Promise<Delivery> {
  return transact(deps, caller, async (tx) => {
    const before = await lockDelivery(tx, id)
    step(deliveryMachine, { state: before.state, trigger: 'resend', facts: { triesLeft: false } })
    const event = await store.findSentEvent(tx, before.eventId)
    const candidates = await store.listCandidates(tx, event)
    const endpoint =
      candidates.find((candidate) => candidate.id === before.webhookEndpointId) ??
      refuse('not_found', { detail: 'The webhook endpoint of this delivery was deleted.' })
    requireEnabled(endpoint)

    const [after] = await store.sendAgain(tx, event, [endpoint.id])
    assert(after !== undefined, 'One endpoint is sent one delivery.')
    return after
  })
}

/** To the endpoints that are named, or else to those that would get it now and those that had it. */
export function resendEvent(
  deps: Deps,
  caller: Caller,
  id: string,
  input: ResendEvent,
): Promise<readonly Delivery[]> {
  return transact(deps, caller, async (tx) => {
    const event = await store.findSentEvent(tx, id)
    if (timeOf(event.id) < reachOf(tx)) {
      refuseMember('/event_id', 'too_small', 'happened more than 30 days ago, and is not sent any more')
    }
    const candidates = await store.listCandidates(tx, event)
    const { webhook_endpoint_ids: names } = input
    const chosen =
      names === undefined
        ? usualRecipients(candidates)
        : namedRecipients(
            candidates,
            names.map((name) => parseId('webhook_endpoint', caller.mode, name)),
          )
    return store.sendAgain(
      tx,
      event,
      chosen.map((candidate) => candidate.id),
    )
  })
}
