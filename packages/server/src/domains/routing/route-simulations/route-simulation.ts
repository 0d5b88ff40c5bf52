/** A simulation of a route with historical payments, which compares two revisions. */
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'
import type { Result } from './result.ts'
import type { Tally } from './tally.ts'

/** Which payments are compared: those that the route decided, or all payments of the workspace. */
export const scopes = ['route', 'all'] as const
export type Scope = (typeof scopes)[number]

export type RouteSimulation = {
  readonly id: Id<'route_simulation'>
  readonly paymentRouteId: Id<'payment_route'>
  readonly revision: number
  /** The route of the revision `against`. Null: the default order of the accounts. */
  readonly againstRouteId: Id<'payment_route'> | null
  /** Null: the default order of the accounts. */
  readonly against: number | null
  /** The period in real time, like the timestamps in payment ids. Both bounds are inclusive. */
  readonly fromAt: Date
  readonly toAt: Date
  readonly payments: Scope
  readonly status: Status
  /** The number of payments in the period; null until they are counted. */
  readonly total: number | null
  readonly done: number
  /** The uuid of the last processed payment. Null: none yet. */
  readonly cursor: string | null
  readonly tally: Tally | null
  readonly result: Result | null
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  readonly version: number
  readonly sequence: number
}
