import { type Static, Type } from 'typebox'
import { IdOf, Time } from '../../kernel/shapes.ts'
import type { Event, EventType } from './event.ts'

export const EventObject = Type.Object(
  {
    id: IdOf('event'),
    object: Type.Literal('event'),
    type: Type.String({ description: 'What happened.', examples: ['customer.created'], loggable: true }),
    created_at: Time,
    api_version: Type.String({ description: 'The version in which `data` is written.', loggable: true }),
    pending_deliveries: Type.Integer({
      description:
        'How many deliveries of the event wait: `pending` or `held`. In the body of a webhook: how many there were when it happened.',
      examples: [1],
    }),
    data: Type.String({
      contentMediaType: 'application/json',
      description:
        'The content, as JSON text: `id`, `type`, `created_at`, `mode`, `sequence` (counts the events of one object without a gap), `object` (the object after the change), `previous` (what changed members were, if it is a change) and `request`. It is a text so that its signature needs no canonical form: sign and verify these very characters.',
      examples: ['{"id":"event_test_01M7CYVGQTEAKSNTBFR026MPQ1","type":"customer.created", …}'],
    }),
  },
  { $id: 'Event', description: 'One change of one object, told once and never changed.' },
)

export const EventPath = Type.Object({ event_id: IdOf('event') })

const EventTypeObject = Type.Object(
  {
    object: Type.Literal('event_type'),
    type: Type.String({
      description: 'The name of the type.',
      examples: ['customer.created'],
      loggable: true,
    }),
    about: Type.String({ description: 'When it happens.', loggable: true }),
  },
  { $id: 'EventType', description: 'A kind of event that there can be.' },
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
