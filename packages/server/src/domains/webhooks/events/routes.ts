import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { OneOf } from '../../../kernel/shapes.ts'
import { operation, stream } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import type { EventType } from './event.ts'
import { EventObject, EventPath, EventTypes, present, presentTypes } from './schema.ts'
import { openStream } from './service/stream.ts'
import { getEvent, listEvents } from './service.ts'
import { requireTypes } from './stream-filter.ts'

const filtersFor = (types: readonly EventType[]) => ({
  type: Type.Optional(
    OneOf(
      types.map(({ type }) => type),
      { description: 'Only events of this type.' },
    ),
  ),
  object_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this object.' })),
  test_clock_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only events on this test clock.' }),
  ),
  test_clocks: TestClocks,
})

const StreamQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'Only events of these types, separated by commas: a type, `<object>.*` or `*`. Do not change the types while you use a cursor.',
        examples: ['customer.*'],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 8000,
        description:
          'The `id` of the last frame you received: continues after it. The `Last-Event-ID` header takes precedence.',
      }),
    ),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Starts with the events since this time, within the last 30 days.',
      }),
    ),
    starting_after: Type.Optional(
      Type.String({ description: 'ID of an event: starts with the events that have a later ID.' }),
    ),
  },
  { additionalProperties: false },
)

export const eventOperations = (deps: Deps, types: readonly EventType[]) => [
  operation({
    id: 'events.get',
    method: 'GET',
    path: '/events/:event_id',
    summary: 'Get an event',
    description: 'Returns an event in the API version that the workspace used when the event was created.',
    params: EventPath,
    response: EventObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getEvent(deps, caller, params.event_id),
  }),
  operation({
    id: 'events.list',
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'Returns events, newest first. Can be filtered by type, object or test clock, but only by one of them. Events are not committed in the order of their IDs: to follow events, use the stream or webhooks instead.',
    query: PageQuery(filtersFor(types)),
    response: PageOf(EventObject),
    errors: ['invalid_cursor'],
    present: presentPage('/events', present),
    handle: ({ caller, query }) => listEvents(deps, caller, rangeOf('event', caller.mode, query), query),
  }),
  stream({
    id: 'events.stream',
    path: '/events/stream',
    summary: 'Stream events',
    description:
      'Returns server-sent events. Each `event` frame contains one event; its `id` is a cursor with which you can continue after any interruption. Events of one object arrive in the order of their `sequence`. After 15 seconds without events, a `cursor` frame or a comment is sent. The stream ends after one hour: reconnect with the last `id`. Without a start parameter, the stream starts with new events.',
    query: StreamQuery,
    response: EventObject,
    errors: ['invalid_cursor'],
    present,
    handle: ({ caller, query, lastEventId, ended }) => {
      const { types: requestedTypes, ...start } = query
      const existingTypes = types.map(({ type }) => type)
      const reader = { deps, caller, types: requireTypes(requestedTypes, existingTypes) }
      return openStream(reader, lastEventId === null ? start : { cursor: lastEventId }, ended)
    },
  }),
  operation({
    id: 'event_types.list',
    method: 'GET',
    path: '/event-types',
    summary: 'List event types',
    description: 'Returns all event types that an endpoint can subscribe to, with their descriptions.',
    response: EventTypes,
    present: () => presentTypes(types),
    handle: async () => types,
  }),
]
