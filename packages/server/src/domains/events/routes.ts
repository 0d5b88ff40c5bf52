import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { OneOf } from '../../kernel/shapes.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { EventType } from './event.ts'
import { EventObject, EventPath, EventTypes, present, presentTypes } from './schema.ts'
import { getEvent, listEvents } from './service.ts'

const filtersFor = (types: readonly EventType[]) => ({
  type: Type.Optional(
    OneOf(
      types.map(({ type }) => type),
      { description: 'Only events of this type.' },
    ),
  ),
  object_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this object.' })),
})

export const eventOperations = (deps: Deps, types: readonly EventType[]) => [
  operation({
    id: 'events.get',
    method: 'GET',
    path: '/events/:event_id',
    summary: 'Get an event',
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
      'By type or by object, not both. Ids do not commit in order: to follow events, receive them instead.',
    query: PageQuery(filtersFor(types)),
    answer: PageOf(EventObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/events', present),
    verb: ({ caller, query }) => listEvents(deps, caller, rangeOf('event', caller.mode, query), query),
  }),
  operation({
    id: 'event_types.list',
    method: 'GET',
    path: '/event-types',
    summary: 'List the types of events',
    answer: EventTypes,
    present: () => presentTypes(types),
    verb: async () => types,
  }),
]
