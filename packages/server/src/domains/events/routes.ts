import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { OneOf } from '../../kernel/shapes.ts'
import { operation, stream } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
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
    Type.String({ maxLength: 100, description: 'Only what happened in the time of this test clock.' }),
  ),
})

const StreamQuery = Type.Object(
  {
    types: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'Only events of these types, separated by commas: a type, `<object>.*`, or `*`. Keep them as they are for as long as you keep a cursor.',
        examples: ['customer.*'],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 8000,
        description:
          'The `id` of the last frame that you have: go on behind it. `Last-Event-ID` goes before this one.',
      }),
    ),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Begin with the events since this time, within the last 30 days.',
      }),
    ),
    starting_after: Type.Optional(
      Type.String({ description: 'The id of an event: begin with those that have a later id.' }),
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
    description: 'Answers one event as it was written, in the version that the workspace had then.',
    params: EventPath,
    answer: EventObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getEvent(deps, caller, params.event_id),
  }),
  operation({
    id: 'events.list',
    method: 'GET',
    path: '/events',
    summary: 'List events',
    description:
      'By type or by object, not both. Ids do not commit in order: to follow events, stream or receive them instead.',
    query: PageQuery(filtersFor(types)),
    answer: PageOf(EventObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/events', present),
    verb: ({ caller, query }) => listEvents(deps, caller, rangeOf('event', caller.mode, query), query),
  }),
  stream({
    id: 'events.stream',
    path: '/events/stream',
    summary: 'Follow events as they happen',
    description:
      'Server-sent events. Each frame `event` holds one event; its `id` is a cursor that leads behind it, however long you were away. Those of one object come in the order of their `sequence`. In a silence of 15 seconds comes a frame `cursor`, or a comment. It ends after an hour: connect again with the last `id`. Without a beginning it begins now.',
    query: StreamQuery,
    answer: EventObject,
    refuses: ['invalid_cursor'],
    present,
    verb: ({ caller, query, lastEventId, ended }) => {
      const { types: wanted, ...beginning } = query
      const known = types.map(({ type }) => type)
      const reader = { deps, caller, types: requireTypes(wanted, known) }
      return openStream(reader, lastEventId === null ? beginning : { cursor: lastEventId }, ended)
    },
  }),
  operation({
    id: 'event_types.list',
    method: 'GET',
    path: '/event-types',
    summary: 'List the types of events',
    description: 'Every type that an endpoint can ask for, with when it happens.',
    answer: EventTypes,
    present: () => presentTypes(types),
    verb: async () => types,
  }),
]
