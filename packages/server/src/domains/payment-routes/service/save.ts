/** What every verb that changes a route shares. The caller holds the lock of the route. */
import { refuse } from '../../../kernel/errors.ts'
import { step } from '../../../kernel/machine.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { paymentRouteUpdated } from '../events.ts'
import { paymentRouteMachine, type Trigger } from '../machine.ts'
import type { Definition, PaymentRoute, Revision, RouteHead } from '../payment-route.ts'
import * as revisions from '../store/revisions.ts'
import * as store from '../store/routes.ts'

/** Refuses what the table has no row for. */
export function admit({ status, isDefault, revision }: RouteHead, trigger: Trigger) {
  const facts = { isDefault, wasPublished: revision !== null }
  return step(paymentRouteMachine, { state: status, trigger, facts })
}

/** With what it says: what is published, else the newest draft. */
export async function withDefinition(view: View, head: RouteHead): Promise<PaymentRoute> {
  const [route] = await withDefinitions(view, [head])
  return route as PaymentRoute
}

export async function withDefinitions(view: View, heads: readonly RouteHead[]): Promise<PaymentRoute[]> {
  const definitions = await revisions.definitionsOf(view, heads)
  return heads.map((head) => ({ ...head, definition: definitions.get(head.id) as Definition }))
}

export async function requireRevision(view: View, head: RouteHead, number: number): Promise<Revision> {
  const revision = await revisions.findRevision(view, head.id, number)
  return revision ?? refuse('not_found', { detail: 'The payment route has no such revision.' })
}

export async function lockLive(tx: Tx, id: string): Promise<RouteHead> {
  const head = await store.lockRoute(tx, id)
  return head.deletedAt === null ? head : refuse('not_found', { detail: store.missing })
}

/** A new one takes the place of the one before, which is told too. */
export async function giveUpDefault(tx: Tx, successor: RouteHead | null): Promise<void> {
  const holder = await store.lockDefault(tx)
  if (holder === null || holder.id === successor?.id) return
  const before = await withDefinition(tx, holder)
  const after = { ...before, ...(await store.updateRoute(tx, holder, { isDefault: false })) }
  tx.emit(paymentRouteUpdated, { before, after })
}
