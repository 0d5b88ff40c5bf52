/** Functions shared by the services that read or change a route. */
import { refuse } from '../../../../kernel/errors.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { paymentRouteUpdated } from '../events.ts'
import { paymentRouteMachine, type Trigger } from '../machine.ts'
import type { Definition, PaymentRoute, Revision, RouteHead } from '../payment-route.ts'
import * as revisions from '../store/revisions.ts'
import * as store from '../store/routes.ts'

/** Rejects transitions that the state machine does not allow. */
export function requireTransition({ status, isDefault, revision }: RouteHead, trigger: Trigger) {
  const facts = { isDefault, wasPublished: revision !== null }
  return nextTransition(paymentRouteMachine, { state: status, trigger, facts })
}

/** Adds the definition: the published one, else the newest draft. */
export async function withDefinition(view: View, head: RouteHead): Promise<PaymentRoute> {
  const definitions = await revisions.definitionsOf(view, [head])
  return { ...head, definition: definitions.get(head.id) as Definition }
}

/** If the definitions are too large, the page is shortened at the end that is farther from the cursor. */
export async function withDefinitions(
  view: View,
  heads: readonly RouteHead[],
  { direction, hasMore }: { readonly direction: 'older' | 'newer'; readonly hasMore: boolean },
): Promise<{ readonly rows: readonly PaymentRoute[]; readonly hasMore: boolean }> {
  const fromNearEnd = direction === 'older' ? heads : heads.toReversed()
  const definitions = await revisions.definitionsOf(view, fromNearEnd)
  const rows = heads.flatMap((head): PaymentRoute[] => {
    const definition = definitions.get(head.id)
    return definition === undefined ? [] : [{ ...head, definition }]
  })
  return { rows, hasMore: hasMore || rows.length < heads.length }
}

export async function requireRevision(view: View, head: RouteHead, number: number): Promise<Revision> {
  const revision = await revisions.findRevision(view, head.id, number)
  return revision ?? refuse('not_found', { detail: 'The payment route has no such revision.' })
}

export async function lockUndeleted(tx: Tx, id: string): Promise<RouteHead> {
  const head = await store.lockRoute(tx, id)
  return head.deletedAt === null ? head : refuse('not_found', { detail: store.missing })
}

/**
 * Makes the current default route a normal route and emits its event, unless `successor` is that route.
 */
export async function unsetDefault(tx: Tx, successor: RouteHead | null): Promise<void> {
  const currentDefault = await store.lockDefault(tx)
  if (currentDefault === null || currentDefault.id === successor?.id) return
  const before = await withDefinition(tx, currentDefault)
  const after = { ...before, ...(await store.updateRoute(tx, currentDefault, { isDefault: false })) }
  tx.emit(paymentRouteUpdated, { before, after })
}
