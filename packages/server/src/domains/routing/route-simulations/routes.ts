import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
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
import {
  cancelSimulation,
  getSimulation,
  listSimulations,
  type SimulationResponse,
  simulateRoute,
} from './service.ts'

const routePath = '/payment-routes/:payment_route_id'
const simulationPath = `${routePath}/simulations/:route_simulation_id`

type Params = { readonly payment_route_id: string; readonly route_simulation_id: string }
const locationOf = (params: Params) => ({
  routeId: params.payment_route_id,
  simulationId: params.route_simulation_id,
})

export const routeSimulationOperations = (deps: Deps) => [
  operation({
    id: 'payment_routes.simulate',
    method: 'POST',
    path: `${routePath}/simulate`,
    summary: 'Simulate a payment route',
    description:
      'Simulates an existing or hypothetical payment with a revision or with a definition that is not saved. Nothing is saved, and no provider is called. With `history`, simulates all payments of a period in the background and returns 202 with a route simulation. Each route can have one running simulation.',
    params: PaymentRoutePath,
    body: SimulatePaymentRoute,
    response: SimulationObject,
    accepted: {
      response: RouteSimulationObject,
      present: (response: SimulationResponse) => ('path' in response ? null : present(response)),
    },
    errors: ['not_found', 'invalid_state', 'conflict', 'reference_not_found'],
    present: (response: SimulationResponse) =>
      'path' in response ? presentSimulation(response) : present(response),
    handle: ({ caller, params, body }) => simulateRoute(deps, caller, params.payment_route_id, body),
  }),
  operation({
    id: 'route_simulations.list',
    method: 'GET',
    path: `${routePath}/simulations`,
    summary: 'List the simulations of a payment route',
    description: 'Returns the simulations of a route, newest first.',
    params: PaymentRoutePath,
    query: PageQuery({}),
    response: PageOf(RouteSimulationObject),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Page<RouteSimulation>, { params }) =>
      presentPage(`/payment-routes/${params.payment_route_id}/simulations`, present)(page),
    handle: ({ caller, params, query }) =>
      listSimulations(deps, caller, rangeOf('route_simulation', caller.mode, query), params.payment_route_id),
  }),
  operation({
    id: 'route_simulations.get',
    method: 'GET',
    path: simulationPath,
    summary: 'Get a simulation of a payment route',
    description: 'Returns the progress of a simulation, and its result once it is completed.',
    params: RouteSimulationPath,
    response: RouteSimulationObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getSimulation(deps, caller, locationOf(params)),
  }),
  operation({
    id: 'route_simulations.cancel',
    method: 'POST',
    path: `${simulationPath}/cancel`,
    summary: 'Cancel a simulation of a payment route',
    description:
      'Stops the simulation within a second, without a result. Repeated calls return the same result.',
    params: RouteSimulationPath,
    response: RouteSimulationObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params }) => cancelSimulation(deps, caller, locationOf(params)),
  }),
]
