import { defineEvent } from '../../platform/db/events.ts'
import type { RouteSimulation } from './route-simulation.ts'
import { present, RouteSimulationObject } from './schema.ts'

const told = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<RouteSimulation>({
    type: `route_simulation.${verb}`,
    about,
    schema: RouteSimulationObject,
    present,
    example,
  })

const running = { status: 'running', completed_at: null, result: null }
const begun = { ...running, progress: { done: 0, total: null } }

export const routeSimulationCreated = told(
  'created',
  'A dry run of a payment route over its history began.',
  {
    object: begun,
  },
)

export const routeSimulationCompleted = told(
  'completed',
  'A dry run of a payment route has looked at all payments; `result` holds what it found.',
  { before: running },
)

export const routeSimulationCancelled = told('cancelled', 'A dry run of a payment route was cancelled.', {
  object: { ...begun, status: 'cancelled', completed_at: '2026-11-14T12:00:00.000Z' },
  before: { status: 'running', completed_at: null },
})

export const routeSimulationEvents = [
  routeSimulationCreated,
  routeSimulationCompleted,
  routeSimulationCancelled,
]
