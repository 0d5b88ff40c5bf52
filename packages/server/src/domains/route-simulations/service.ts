/** What can be done with a dry run of a route. `deps` opens a unit of work. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { type Id, timeOf } from '../../kernel/id.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import {
  requireCompared,
  requirePaymentRoute,
  type Simulation,
  simulatePaymentRoute,
} from '../payment-routes/service/history.ts'
import { routeSimulationCancelled, routeSimulationCreated } from './events.ts'
import { routeSimulationMachine } from './machine.ts'
import type { RouteSimulation } from './route-simulation.ts'
import type { SimulatePaymentRoute } from './schema.ts'
import * as store from './store.ts'

/** One payment is tried out at once; a stretch of history in the background. */
export type Trial = Simulation | RouteSimulation

export function tryPaymentRoute(
  deps: Deps,
  caller: Caller,
  id: string,
  body: SimulatePaymentRoute,
): Promise<Trial> {
  const { history, against, ...one } = body
  if (history !== undefined) return startSimulation(deps, caller, id, body)
  if (against !== undefined) refuseMember('/against', 'not_together', 'goes with history alone')
  return simulatePaymentRoute(deps, caller, id, one)
}

const ofOnePayment = ['payment_id', 'operands', 'draw_by', 'definition', 'assume'] as const

function startSimulation(
  deps: Deps,
  caller: Caller,
  routeId: string,
  body: SimulatePaymentRoute,
): Promise<RouteSimulation> {
  const stray = ofOnePayment.find((member) => body[member] !== undefined)
  if (stray !== undefined) refuseMember(`/${stray}`, 'not_together', 'does not go with history')
  return transact(deps, caller, async (tx) => {
    const id = tx.newId('route_simulation')
    // Payments are dated by the wall, and so is an id.
    const { fromAt, toAt } = boundsOf(body, timeOf(id))
    const { route, revision, against } = await requireCompared(tx, routeId, body)
    const running = await store.lockRunning(tx, route.id)
    if (running !== null) refuseSecond(running)
    const simulation: RouteSimulation = {
      ...{ id, paymentRouteId: route.id, revision, against, fromAt, toAt },
      payments: body.history?.payments ?? (route.revision === null ? 'all' : 'route'),
      status: routeSimulationMachine.initial,
      ...{ total: null, done: 0, cursor: null, tally: null, result: null },
      ...{ dueAt: tx.now, createdAt: tx.now, updatedAt: tx.now, completedAt: null },
      ...{ version: 1, sequence: 1 },
    }
    await store.insertSimulation(tx, simulation)
    tx.emit(routeSimulationCreated, { after: simulation })
    return simulation
  })
}

function boundsOf({ history }: SimulatePaymentRoute, now: Date): { fromAt: Date; toAt: Date } {
  const fromAt = new Date(history?.from_at ?? now)
  const toAt = new Date(history?.to_at ?? now)
  if (fromAt > now) refuseMember('/history/from_at', 'too_large', 'must not lie in the future')
  if (toAt < fromAt) refuseMember('/history/to_at', 'too_small', 'must not lie before from_at')
  // What has not happened yet is no history.
  return { fromAt, toAt: toAt < now ? toAt : now }
}

function refuseSecond({ id, status }: Pick<RouteSimulation, 'id' | 'status'>): never {
  return refuse('invalid_state', {
    detail: `The simulation ${id} of this payment route is still running.`,
    current_status: status,
    allowed_actions: allowedActions(routeSimulationMachine, status, {}),
  })
}

type Place = { readonly routeId: string; readonly simulationId: string }

export function getSimulation(deps: Deps, caller: Caller, place: Place): Promise<RouteSimulation> {
  return read(deps, caller, async (view) => {
    const { id } = await requirePaymentRoute(view, place.routeId)
    return requireOf(id, await store.findSimulation(view, place.simulationId))
  })
}

/** Under another route there is no such simulation. */
function requireOf(routeId: Id<'payment_route'>, simulation: RouteSimulation): RouteSimulation {
  return simulation.paymentRouteId === routeId ? simulation : refuse('not_found', { detail: store.missing })
}

export function listSimulations(deps: Deps, caller: Caller, range: IdRange, routeId: string) {
  return read(deps, caller, async (view) => {
    const { id } = await requirePaymentRoute(view, routeId)
    return store.listSimulations(view, range, id)
  })
}

/** Whoever runs it notices before it writes anything more. */
export function cancelSimulation(deps: Deps, caller: Caller, place: Place): Promise<RouteSimulation> {
  return transact(deps, caller, async (tx) => {
    const { id } = await requirePaymentRoute(tx, place.routeId)
    return cancel(tx, requireOf(id, await store.lockSimulation(tx, place.simulationId)))
  })
}

async function cancel(tx: Tx, before: RouteSimulation): Promise<RouteSimulation> {
  const row = step(routeSimulationMachine, { state: before.status, trigger: 'cancel', facts: {} })
  if (!isChange(row)) return before
  const end = { status: row.to, dueAt: null, completedAt: tx.now, tally: null }
  const after = await store.updateTold(tx, before, end)
  tx.emit(routeSimulationCancelled, { before, after })
  return after
}
