/** Reads, compares and publishes revisions, including old ones. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type Difference, differencesOf } from '../diff.ts'
import * as events from '../events.ts'
import type { PaymentRoute, Revision, RouteHead, SavedRoute } from '../payment-route.ts'
import * as revisions from '../store/revisions.ts'
import * as store from '../store/routes.ts'
import { startOrStopLearning } from './learn.ts'
import { findingsOf, readLintDeps, requirePublishable } from './lint.ts'
import { lockUndeleted, requireRevision, requireTransition, withDefinition } from './save.ts'

export function listRouteRevisions(deps: Deps, caller: Caller, id: string, range: IdRange) {
  return read(deps, caller, async (view) => {
    const head = await store.requireRoute(view, id)
    return revisions.listRevisions(view, head.id, range)
  })
}

export function getRouteRevision(
  deps: Deps,
  caller: Caller,
  id: string,
  revision: string,
): Promise<Revision> {
  return read(deps, caller, async (view) => {
    return requireRevision(view, await store.requireRoute(view, id), parseRevisionNumber(revision))
  })
}

export type Diff = {
  readonly paymentRouteId: string
  readonly revision: number
  readonly against: number
  readonly changes: readonly Difference[]
}

/** Without `against`, compares with the published revision. */
export function diffRouteRevisions(
  deps: Deps,
  caller: Caller,
  id: string,
  request: { readonly revision: string; readonly against: number | undefined },
): Promise<Diff> {
  return read(deps, caller, async (view) => {
    const head = await store.requireRoute(view, id)
    const after = await requireRevision(view, head, parseRevisionNumber(request.revision))
    const against = request.against ?? head.revision ?? after.number
    const before = await requireRevision(view, head, against)
    const changes = differencesOf(before.definition, after.definition)
    return { paymentRouteId: head.id, revision: after.number, against, changes }
  })
}

/**
 * A draft is published unchanged. A revision older than the published one is copied, so that history is not
 * rewritten.
 */
export async function publishRouteRevision(
  deps: Deps,
  caller: Caller,
  id: string,
  revision: string,
): Promise<SavedRoute> {
  const lintDeps = await readLintDeps(deps, caller)
  return transact(deps, caller, async (tx) => {
    const head = await lockUndeleted(tx, id)
    requireTransition(head, 'publish')
    const target = await requireRevision(tx, head, parseRevisionNumber(revision))
    const before = await withDefinition(tx, head)
    if (target.number === head.revision) {
      return { ...before, findings: await findingsOf(lintDeps, tx, target.definition) }
    }
    const findings = await requirePublishable(lintDeps, tx, target.definition)
    return { ...(await publish(tx, before, target)), findings }
  })
}

async function publish(tx: Tx, before: PaymentRoute, target: Revision): Promise<PaymentRoute> {
  const isOld = before.revision !== null && target.number < before.revision
  const number = isOld ? before.latestRevision + 1 : target.number
  if (isOld) {
    const { definition, number: copyOf } = target
    await revisions.insertRevision(tx, before.id, { number, definition, copyOf })
  }
  await revisions.insertPublication(tx, before.id, number)
  await startOrStopLearning(tx, before.id, { before: before.definition, after: target.definition })
  const latestRevision = Math.max(before.latestRevision, number)
  const head: RouteHead = await store.updateRoute(tx, before, { revision: number, latestRevision })
  const after = { ...head, definition: target.definition }
  tx.emit(events.paymentRoutePublished, { before, after })
  return after
}

/** Throws `not_found` for an invalid revision number. */
function parseRevisionNumber(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  return refuse('not_found', { detail: 'The payment route has no such revision.' })
}
