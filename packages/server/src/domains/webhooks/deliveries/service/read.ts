/** Reads deliveries, attempts and figures. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import { findEndpoint } from '../../webhook-endpoints/service.ts'
import type { DeliveryState } from '../delivery.ts'
import { computeFigures } from '../figures.ts'
import { groupLatestDeliveries } from '../store/figures.ts'
import * as store from '../store/read.ts'

export function getDelivery(deps: Deps, caller: Caller, id: string) {
  return read(deps, caller, (view) => findWithAttempts(view, id))
}

/** A delivery with its attempts. */
export async function findWithAttempts(view: View, id: string) {
  const delivery = await store.findDelivery(view, id)
  return { delivery, attempts: await store.listAttempts(view, delivery.id) }
}

export function listDeliveries(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly endpointId: string; readonly state: DeliveryState | undefined },
) {
  return read(deps, caller, async (view) => {
    const { id: endpointId } = await findEndpoint(view, filter.endpointId)
    return store.listDeliveries(view, range, { endpointId, state: filter.state })
  })
}

export function listAllDeliveries(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { event_id }: { readonly event_id?: string | undefined },
) {
  const eventUuid = uuidInFilter('event', caller.mode, event_id)
  return read(deps, caller, (view) => store.listAllDeliveries(view, range, eventUuid))
}

export function getFigures(deps: Deps, caller: Caller, endpointId: string) {
  return read(deps, caller, async (view) => {
    const { id } = await findEndpoint(view, endpointId)
    return { endpointId: id, figures: computeFigures(await groupLatestDeliveries(view, id)) }
  })
}
