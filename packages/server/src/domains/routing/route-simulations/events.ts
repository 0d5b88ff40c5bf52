import { defineEvent } from '../../../platform/db/events.ts'
import type { RouteSimulation } from './route-simulation.ts'
import { present, RouteSimulationObject } from './schema.ts'

const simulationEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<RouteSimulation>({
    type: `route_simulation.${verb}`,
    about,
    schema: RouteSimulationObject,
    present,
    example,
  })

const running = { status: 'running', completed_at: null, result: null }
const started = { ...running, progress: { done: 0, total: null } }

export const routeSimulationCreated = simulationEvent(
  'created',
  'A simulation of a payment route over historical payments started.',
  {
    object: started,
  },
)

export const routeSimulationCompleted = simulationEvent(
  'completed',
  'A simulation of a payment route completed. `result` contains the findings.',
  { before: running },
)

export const routeSimulationCancelled = simulationEvent(
  'cancelled',
  'A simulation of a payment route was cancelled.',
  {
    object: { ...started, status: 'cancelled', completed_at: '2026-11-14T12:00:00.000Z' },
    before: { status: 'running', completed_at: null },
  },
)

export const routeSimulationEvents = [
  routeSimulationCreated,
  routeSimulationCompleted,
  routeSimulationCancelled,
]
