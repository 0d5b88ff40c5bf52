/** Starts, reads and cancels route simulations. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Id, timeOf } from '../../../kernel/id.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import {
  requireComparedRevisions,
  requirePaymentRoute,
  type Simulation,
  simulatePaymentRoute,
} from '../payment-routes/service/history.ts'
import { routeSimulationCancelled, routeSimulationCreated } from './events.ts'
import { routeSimulationMachine } from './machine.ts'
import type { RouteSimulation } from './route-simulation.ts'
import type { SimulatePaymentRoute } from './schema.ts'
import * as store from './store.ts'

/** One payment is simulated immediately; history is simulated in the background. */
export type SimulationResponse = Simulation | RouteSimulation

export function simulateRoute(
  deps: Deps,
  caller: Caller,
  id: string,
  body: SimulatePaymentRoute,
): Promise<SimulationResponse> {
  const { history, against, against_default: againstDefault, ...simulation } = body
  if (history !== undefined) return startSimulation(deps, caller, id, body)
  if (against !== undefined) refuseMember('/against', 'not_together', 'can only be combined with history')
  if (againstDefault !== undefined)
    refuseMember('/against_default', 'not_together', 'can only be combined with history')
  return simulatePaymentRoute(deps, caller, id, simulation)
}

const singlePaymentMembers = ['payment_id', 'operands', 'draw_by', 'definition', 'assume'] as const

function startSimulation(
  deps: Deps,
  caller: Caller,
  routeId: string,
  body: SimulatePaymentRoute,
): Promise<RouteSimulation> {
  const conflictingMember = singlePaymentMembers.find((member) => body[member] !== undefined)
  if (conflictingMember !== undefined)
    refuseMember(`/${conflictingMember}`, 'not_together', 'cannot be combined with history')
  const againstDefault = body.against_default === true
  if (againstDefault && body.against !== undefined)
    refuseMember('/against', 'not_together', 'cannot be combined with against_default')
  return transact(deps, caller, async (tx) => {
    const id = tx.newId('route_simulation')
    // Payments are dated by the real time in their ids, so the period ends at the time in this id.
    const { fromAt, toAt } = boundsOf(body, timeOf(id))
    const { revision, against } = body
    const compared = await requireComparedRevisions(tx, routeId, { revision, against, againstDefault })
    const { route } = compared
    const running = await store.lockRunning(tx, route.id)
    if (running !== null) refuseConcurrent(running)
    const simulation: RouteSimulation = {
      id,
      paymentRouteId: route.id,
      revision: compared.revision,
      againstRouteId: compared.against?.routeId ?? null,
      against: compared.against?.revision ?? null,
      fromAt,
      toAt,
      payments: body.history?.payments ?? (againstDefault || route.revision === null ? 'all' : 'route'),
      status: routeSimulationMachine.initial,
      total: null,
      done: 0,
      cursor: null,
      tally: null,
      result: null,
      dueAt: tx.now,
      createdAt: tx.now,
      updatedAt: tx.now,
      completedAt: null,
      version: 1,
      sequence: 1,
    }
    await store.insertSimulation(tx, simulation)
    tx.emit(routeSimulationCreated, { after: simulation })
    return simulation
  })
}

function boundsOf({ history }: SimulatePaymentRoute, now: Date): { fromAt: Date; toAt: Date } {
  const fromAt = new Date(history?.from_at ?? now)
  const toAt = new Date(history?.to_at ?? now)
  if (fromAt > now) refuseMember('/history/from_at', 'too_large', 'must not be in the future')
  if (toAt < fromAt) refuseMember('/history/to_at', 'too_small', 'must not be before from_at')
  // The end is limited to the present.
  return { fromAt, toAt: toAt < now ? toAt : now }
}

function refuseConcurrent({ id, status }: Pick<RouteSimulation, 'id' | 'status'>): never {
  return refuse('invalid_state', {
    detail: `The simulation ${id} of this payment route is still running.`,
    current_status: status,
    allowed_actions: allowedActions(routeSimulationMachine, status, {}),
  })
}

type SimulationLocation = { readonly routeId: string; readonly simulationId: string }

export function getSimulation(
  deps: Deps,
  caller: Caller,
  location: SimulationLocation,
): Promise<RouteSimulation> {
  return read(deps, caller, async (view) => {
    const { id } = await requirePaymentRoute(view, location.routeId)
    return requireSameRoute(id, await store.findSimulation(view, location.simulationId))
  })
}

/** A simulation is only found under the path of its own route. */
function requireSameRoute(routeId: Id<'payment_route'>, simulation: RouteSimulation): RouteSimulation {
  return simulation.paymentRouteId === routeId ? simulation : refuse('not_found', { detail: store.missing })
}

export function listSimulations(deps: Deps, caller: Caller, range: IdRange, routeId: string) {
  return read(deps, caller, async (view) => {
    const { id } = await requirePaymentRoute(view, routeId)
    return store.listSimulations(view, range, id)
  })
}

/** The worker notices the cancellation at its next save, and then stops without writing. */
export function cancelSimulation(
  deps: Deps,
  caller: Caller,
  location: SimulationLocation,
): Promise<RouteSimulation> {
  return transact(deps, caller, async (tx) => {
    const { id } = await requirePaymentRoute(tx, location.routeId)
    return cancel(tx, requireSameRoute(id, await store.lockSimulation(tx, location.simulationId)))
  })
}

async function cancel(tx: Tx, before: RouteSimulation): Promise<RouteSimulation> {
  const row = nextTransition(routeSimulationMachine, { state: before.status, trigger: 'cancel', facts: {} })
  if (!isChange(row)) return before
  const changes = { status: row.to, dueAt: null, completedAt: tx.now, tally: null }
  const after = await store.updateWithEvent(tx, before, changes)
  tx.emit(routeSimulationCancelled, { before, after })
  return after
}
