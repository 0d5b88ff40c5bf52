/** Traces one API request to its events and their webhook deliveries. */
import type { Delivery, Event, LoggedRequest, Switchyard } from '@switchyard/sdk'
import { kindOf } from '../nouns.ts'
import { formatTimeOfDay } from '../time.ts'
import { formatRequest } from './format-request.ts'

export type Trace = {
  readonly request: LoggedRequest
  readonly events: readonly Event[]
  readonly deliveries: readonly Delivery[]
}

/** Limits on the lookup: a request changes few objects, and each has few events since. */
const maxObjects = 20
const maxEvents = 200
/** Per event; there is one delivery per endpoint. */
const maxDeliveries = 100

export async function traceRequest(client: Switchyard, requestId: string): Promise<Trace> {
  const request = await client.requests.get(requestId)
  const events: Event[] = []
  for (const object_id of objectIdsIn(request)) {
    const found = await client.events
      .list({ object_id, created_at: { gte: new Date(Date.parse(request.created_at) - 60_000) } })
      .all({ max: maxEvents })
    events.push(...found.filter((event) => client.events.contentOf(event).request?.id === request.id))
  }
  const ordered = events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { request, events: ordered, deliveries: await deliveriesOf(client, ordered) }
}

/** The ids in the path and in the bodies. The request log never redacts ids. */
function objectIdsIn({ path, request_body, response_body }: LoggedRequest): string[] {
  const texts = [path, response_body ?? '', request_body ?? '']
  const ids = texts.flatMap((text) => text.match(/[a-z_]+_[0-9A-Z]{26}/g) ?? [])
  return [...new Set(ids)].filter((id) => kindOf(id) !== null).slice(0, maxObjects)
}

async function deliveriesOf(client: Switchyard, events: readonly Event[]): Promise<Delivery[]> {
  const found: Delivery[] = []
  for (const { id } of events)
    found.push(...(await client.deliveries.listAll({ event_id: id }).all({ max: maxDeliveries })))
  return found
}

export function formatTrace({ request, events, deliveries }: Trace): string {
  const lines = events.flatMap((event) => [
    `  ${formatTimeOfDay(event.created_at)}  ${event.type}  ${event.id}`,
    ...deliveries
      .filter(({ event_id }) => event_id === event.id)
      .map(({ id, state, last_status, webhook_endpoint_id, attempts_made }) => {
        const response = last_status === null ? '' : `, last response ${last_status}`
        const attempts = attempts_made === 1 ? '1 attempt' : `${attempts_made} attempts`
        return `    ${state}${response}, ${attempts}  ${webhook_endpoint_id}  ${id}`
      }),
  ])
  return [formatRequest(request), ...(lines.length === 0 ? ['  No events.'] : lines)].join('\n')
}
