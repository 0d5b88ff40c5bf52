/** What came of one call: its events, and what became of them at the endpoints. */
import type { Delivery, Event, LoggedRequest, Switchyard } from '@switchyard/sdk'
import { kindOf } from '../nouns.ts'
import { clockText } from '../time.ts'
import { requestWords } from './words.ts'

export type Trace = {
  readonly request: LoggedRequest
  readonly events: readonly Event[]
  readonly deliveries: readonly Delivery[]
}

/** A call changes few objects; an object has had few events since. */
const mostObjects = 20
const mostEvents = 200
/** As many as there are endpoints. */
const mostDeliveries = 100

export async function traceOf(client: Switchyard, requestId: string): Promise<Trace> {
  const request = await client.requests.get(requestId)
  const events: Event[] = []
  for (const object_id of objectsOf(request)) {
    const found = await client.events
      .list({ object_id, created_at: { gte: new Date(Date.parse(request.created_at) - 60_000) } })
      .all({ max: mostEvents })
    events.push(...found.filter((event) => client.events.contentOf(event).request?.id === request.id))
  }
  const ordered = events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { request, events: ordered, deliveries: await deliveriesOf(client, ordered) }
}

/** The objects that it named or answered: ids are never struck out of the log. */
function objectsOf({ path, request_body, response_body }: LoggedRequest): string[] {
  const texts = [path, response_body ?? '', request_body ?? '']
  const words = texts.flatMap((text) => text.match(/[a-z_]+_[0-9A-Z]{26}/g) ?? [])
  return [...new Set(words)].filter((word) => kindOf(word) !== null).slice(0, mostObjects)
}

async function deliveriesOf(client: Switchyard, events: readonly Event[]): Promise<Delivery[]> {
  const found: Delivery[] = []
  for (const { id } of events)
    found.push(...(await client.deliveries.listAll({ event_id: id }).all({ max: mostDeliveries })))
  return found
}

export function traceWords({ request, events, deliveries }: Trace): string {
  const lines = events.flatMap((event) => [
    `  ${clockText(event.created_at)}  ${event.type}  ${event.id}`,
    ...deliveries
      .filter(({ event_id }) => event_id === event.id)
      .map(({ id, state, last_status, webhook_endpoint_id, attempts_made }) => {
        const answer = last_status === null ? '' : `, last answer ${last_status}`
        return `    ${state}${answer}, ${attempts_made} attempts  ${webhook_endpoint_id}  ${id}`
      }),
  ])
  return [requestWords(request), ...(lines.length === 0 ? ['  No events came of it.'] : lines)].join('\n')
}
