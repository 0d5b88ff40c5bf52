/** Revisions: looking at them, comparing them, and publishing one, be it an old one again. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { type Difference, differencesOf } from '../diff.ts'
import * as events from '../events.ts'
import type { PaymentRoute, Revision, RouteHead, SavedRoute } from '../payment-route.ts'
import * as revisions from '../store/revisions.ts'
import * as store from '../store/routes.ts'
import { followLearning } from './learn.ts'
import { findingsOf, requirePublishable } from './lint.ts'
import { admit, lockLive, requireRevision, withDefinition } from './save.ts'

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
    return requireRevision(view, await store.requireRoute(view, id), numberOf(revision))
  })
}

export type Diff = {
  readonly paymentRouteId: string
  readonly revision: number
  readonly against: number
  readonly changes: readonly Difference[]
}

/** Without `against`, with what is published. */
export function diffRouteRevisions(
  deps: Deps,
  caller: Caller,
  id: string,
  asked: { readonly revision: string; readonly against: number | undefined },
): Promise<Diff> {
  return read(deps, caller, async (view) => {
    const head = await store.requireRoute(view, id)
    const after = await requireRevision(view, head, numberOf(asked.revision))
    const against = asked.against ?? head.revision ?? after.number
    const before = await requireRevision(view, head, against)
    const changes = differencesOf(before.definition, after.definition)
    return { paymentRouteId: head.id, revision: after.number, against, changes }
  })
}

/** A draft is published as it is. What is older than what is published is copied: history is never rewritten. */
export function publishRouteRevision(
  deps: Deps,
  caller: Caller,
  id: string,
  revision: string,
): Promise<SavedRoute> {
  return transact(deps, caller, async (tx) => {
    const head = await lockLive(tx, id)
    admit(head, 'publish')
    const wanted = await requireRevision(tx, head, numberOf(revision))
    const before = await withDefinition(tx, head)
    if (wanted.number === head.revision) {
      return { ...before, findings: await findingsOf(tx, wanted.definition) }
    }
    const findings = await requirePublishable(tx, wanted.definition)
    return { ...(await publish(tx, before, wanted)), findings }
  })
}

async function publish(tx: Tx, before: PaymentRoute, wanted: Revision): Promise<PaymentRoute> {
  const isOld = before.revision !== null && wanted.number < before.revision
  const number = isOld ? before.latestRevision + 1 : wanted.number
  if (isOld) {
    const { definition, number: copyOf } = wanted
    await revisions.insertRevision(tx, before.id, { number, definition, copyOf })
  }
  await revisions.insertPublication(tx, before.id, number)
  await followLearning(tx, before.id, { before: before.definition, after: wanted.definition })
  const latestRevision = Math.max(before.latestRevision, number)
  const head: RouteHead = await store.updateRoute(tx, before, { revision: number, latestRevision })
  const after = { ...head, definition: wanted.definition }
  tx.emit(events.paymentRoutePublished, { before, after })
  return after
}

/** What is no number of a revision is one that does not exist. */
function numberOf(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  return refuse('not_found', { detail: 'The payment route has no such revision.' })
}
