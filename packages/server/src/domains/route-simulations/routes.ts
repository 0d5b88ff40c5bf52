import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { RouteSimulation } from './route-simulation.ts'
import {
  PaymentRoutePath,
  present,
  presentSimulation,
  RouteSimulationObject,
  RouteSimulationPath,
  SimulatePaymentRoute,
  SimulationObject,
} from './schema.ts'
import { cancelSimulation, getSimulation, listSimulations, type Trial, tryPaymentRoute } from './service.ts'

const routePath = '/payment-routes/:payment_route_id'
const simulationPath = `${routePath}/simulations/:route_simulation_id`

type Params = { readonly payment_route_id: string; readonly route_simulation_id: string }
const placeOf = (params: Params) => ({
  routeId: params.payment_route_id,
  simulationId: params.route_simulation_id,
})

export const routeSimulationOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.simulate',
    method: 'POST',
    path: `${routePath}/simulate`,
    summary: 'Try out what a payment route does',
    description:
      'With a payment that there was, or one that is described, by a revision or by a definition that was never saved: nothing is written, and no provider is called. With `history` over all payments of a time, in the background: it answers 202 with a route simulation. One of those runs at a time for each route.',
    params: PaymentRoutePath,
    body: SimulatePaymentRoute,
    answer: SimulationObject,
    accepted: {
      answer: RouteSimulationObject,
      present: (trial: Trial) => ('path' in trial ? null : present(trial)),
    },
    refuses: ['not_found', 'invalid_state', 'conflict', 'reference_not_found'],
    present: (trial: Trial) => ('path' in trial ? presentSimulation(trial) : present(trial)),
    verb: ({ caller, params, body }) => tryPaymentRoute(deps, caller, params.payment_route_id, body),
  }),
  operation({
    id: 'route_simulations.list',
    method: 'GET',
    path: `${routePath}/simulations`,
    summary: 'List the simulations of a payment route',
    description: 'Newest first.',
    params: PaymentRoutePath,
    query: PageQuery({}),
    answer: PageOf(RouteSimulationObject),
    refuses: ['not_found', 'invalid_cursor'],
    present: (page: Page<RouteSimulation>, { params }) =>
      presentPage(`/payment-routes/${params.payment_route_id}/simulations`, present)(page),
    verb: ({ caller, params, query }) =>
      listSimulations(deps, caller, rangeOf('route_simulation', caller.mode, query), params.payment_route_id),
  }),
  operation({
    id: 'route_simulations.get',
    method: 'GET',
    path: simulationPath,
    summary: 'Get a simulation of a payment route',
    description: 'Answers how far it is, and its result when it is completed.',
    params: RouteSimulationPath,
    answer: RouteSimulationObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getSimulation(deps, caller, placeOf(params)),
  }),
  operation({
    id: 'route_simulations.cancel',
    method: 'POST',
    path: `${simulationPath}/cancel`,
    summary: 'Cancel a simulation of a payment route',
    description: 'It stops within a second, and has no result. Repeating it answers the same.',
    params: RouteSimulationPath,
    answer: RouteSimulationObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    verb: ({ caller, params }) => cancelSimulation(deps, caller, placeOf(params)),
  }),
]
