/** A dry run of a route over payments that there were: what one revision does otherwise than another. */
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'
import type { Result } from './result.ts'
import type { Tally } from './tally.ts'

/** Those that the route has decided about, or all of the workspace. */
export const scopes = ['route', 'all'] as const
export type Scope = (typeof scopes)[number]

export type RouteSimulation = {
  readonly id: Id<'route_simulation'>
  readonly paymentRouteId: Id<'payment_route'>
  readonly revision: number
  /** Null: the order of the accounts. */
  readonly against: number | null
  /** By the wall, as payments are dated; both belong to it. */
  readonly fromAt: Date
  readonly toAt: Date
  readonly payments: Scope
  readonly status: Status
  /** Null until they are counted. */
  readonly total: number | null
  readonly done: number
  /** How far it got: an id, as the database has it. Null: nowhere yet. */
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
