import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf } from '../../../kernel/shapes.ts'
import type { Event, EventType } from './event.ts'

export const EventObject = Type.Object(
  {
    id: IdOf('event'),
    object: Type.Literal('event'),
    type: Type.String({ description: 'Type of the event.', examples: ['customer.created'], loggable: true }),
    created_at: CreatedAt,
    api_version: Type.String({ description: 'API version of `data`.', loggable: true }),
    pending_deliveries: Type.Integer({
      description:
        'Number of deliveries of the event that are `pending` or `held`. In the body of a webhook: the number when the event was created.',
      examples: [1],
    }),
    data: Type.String({
      contentMediaType: 'application/json',
      description:
        'The content as a JSON string: `id`, `type`, `created_at`, `mode`, `sequence` (numbers the events of one object without gaps), `object` (the object after the change), `previous` (for a change: the old values of the changed fields) and `request`. It is a string so that its signature needs no canonical form: verify the signature over exactly these characters.',
      examples: ['{"id":"event_test_01M7CYVGQTEAKSNTBFR026MPQ1","type":"customer.created", …}'],
    }),
  },
  { $id: 'Event', description: 'An immutable record of one change to one object.' },
)

export const EventPath = Type.Object({ event_id: IdOf('event') })

const EventTypeObject = Type.Object(
  {
    object: Type.Literal('event_type'),
    type: Type.String({
      description: 'Name of the event type.',
      examples: ['customer.created'],
      loggable: true,
    }),
    about: Type.String({ description: 'When the event is sent.', loggable: true }),
  },
  { $id: 'EventType', description: 'A type of event.' },
)

export const EventTypes = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(EventTypeObject),
  has_more: Type.Literal(false),
  url: Type.Literal('/event-types'),
})

export function present(event: Event): Static<typeof EventObject> {
  return {
    id: event.id,
    object: 'event',
    type: event.type,
    created_at: event.createdAt.toISOString(),
    api_version: event.apiVersion,
    pending_deliveries: event.pendingDeliveries,
    data: event.data,
  }
}

export function presentTypes(types: readonly EventType[]): Static<typeof EventTypes> {
  const data = types.map(({ type, about }) => ({ object: 'event_type' as const, type, about }))
  return { object: 'list', data, has_more: false, url: '/event-types' }
}
