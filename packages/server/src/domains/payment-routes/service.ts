/** What can be done with a payment route. `deps` opens a unit of work; `tx` joins the caller's. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { isChange } from '../../kernel/machine.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { changed, isSame } from './changes.ts'
import * as events from './events.ts'
import { type Definition, most, type PaymentRoute, type RouteHead, type SavedRoute } from './payment-route.ts'
import type { CreatePaymentRoute, UpdatePaymentRoute } from './schema.ts'
import { followLearning } from './service/learn.ts'
import { findingsOf, requireDefinition, requirePublishable } from './service/lint.ts'
import {
  admit,
  giveUpDefault,
  lockLive,
  requireRevision,
  withDefinition,
  withDefinitions,
} from './service/save.ts'
import * as revisions from './store/revisions.ts'
import * as store from './store/routes.ts'

export function createPaymentRoute(
  deps: Deps,
  caller: Caller,
  body: CreatePaymentRoute,
): Promise<SavedRoute> {
  const definition = requireDefinition(body)
  const { draft = false, is_default: isDefault = false, metadata = {} } = body
  if (draft && isDefault) refuseMember('/is_default', 'not_together', 'does not go with draft')
  return transact(deps, caller, async (tx) => {
    await store.lockRoutes(tx)
    if (await store.isFull(tx)) {
      refuse('limit_reached', { detail: `A workspace has at most ${most.routes} payment routes.` })
    }
    const findings = await (draft ? findingsOf : requirePublishable)(tx, definition)
    if (isDefault) await giveUpDefault(tx, null)
    const head = await store.insertRoute(tx, {
      isDefault,
      revision: draft ? null : 1,
      metadata: mergeMetadata({}, metadata),
    })
    await revisions.insertRevision(tx, head.id, { number: 1, definition, copyOf: null })
    if (!draft) await publishFirst(tx, head.id, definition)
    const after = { ...head, definition }
    tx.emit(events.paymentRouteCreated, { after })
    return { ...after, findings }
  })
}

async function publishFirst(tx: Tx, id: RouteHead['id'], definition: Definition): Promise<void> {
  await revisions.insertPublication(tx, id, 1)
  await followLearning(tx, id, { before: null, after: definition })
}

export function getPaymentRoute(deps: Deps, caller: Caller, id: string): Promise<PaymentRoute> {
  return read(deps, caller, async (view) => withDefinition(view, await store.requireRoute(view, id)))
}

export function listPaymentRoutes(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listRoutes(view, range)
    return { rows: await withDefinitions(view, rows), hasMore }
  })
}

type Update = UpdatePaymentRoute & { readonly ifMatch: number | null }

/** What is sent of the definition becomes a revision, on top of the newest. The rest has none. */
export function updatePaymentRoute(
  deps: Deps,
  caller: Caller,
  id: string,
  input: Update,
): Promise<SavedRoute> {
  return transact(deps, caller, async (tx) => {
    if (input.is_default !== undefined) await store.lockRoutes(tx)
    const head = await lockLive(tx, id)
    admit(head, 'update')
    requireSeen(head, input)
    const before = await withDefinition(tx, head)
    const saved = await nextRevision(tx, head, input)
    const changes = changesOf(head, input, saved?.number ?? null)
    if (changes.isDefault && !head.isDefault) await giveUpDefault(tx, head)
    const findings = saved?.findings ?? []
    // Nothing changed, so there is nothing to tell.
    if (isUnchanged(head, changes)) return { ...before, findings }
    return { ...(await writeChange(tx, before, changes)), findings }
  })
}

function changesOf(head: RouteHead, input: Update, saved: number | null): Changes {
  const { draft = false, is_default: isDefault = head.isDefault, metadata } = input
  const revision = draft ? head.revision : (saved ?? head.revision)
  if (isDefault && revision === null) {
    refuseMember('/is_default', 'not_together', 'needs a revision that is published')
  }
  return {
    revision,
    latestRevision: Math.max(head.latestRevision, saved ?? 0),
    isDefault,
    metadata: metadata === undefined ? head.metadata : mergeMetadata(head.metadata, metadata),
  }
}

type Changes = Pick<RouteHead, 'revision' | 'latestRevision' | 'isDefault' | 'metadata'>

function isUnchanged(head: RouteHead, changes: Changes): boolean {
  return (
    changes.revision === head.revision &&
    changes.latestRevision === head.latestRevision &&
    changes.isDefault === head.isDefault &&
    JSON.stringify(changes.metadata) === JSON.stringify(head.metadata)
  )
}

async function writeChange(tx: Tx, before: PaymentRoute, changes: Changes): Promise<PaymentRoute> {
  const publishes = changes.revision !== before.revision && changes.revision !== null
  if (publishes) await revisions.insertPublication(tx, before.id, changes.revision as number)
  const after = await withDefinition(tx, await store.updateRoute(tx, before, changes))
  if (publishes) {
    await followLearning(tx, after.id, { before: before.definition, after: after.definition })
  }
  tx.emit(publishes ? events.paymentRoutePublished : events.paymentRouteUpdated, { before, after })
  return after
}

function requireSeen({ version, latestRevision }: RouteHead, { ifMatch, if_revision: seen }: Update): void {
  if (ifMatch !== null && ifMatch !== version) refuse('version_mismatch')
  if (seen === undefined || seen === latestRevision) return
  refuse('version_mismatch', { detail: `The newest revision is ${latestRevision}, not ${seen}.` })
}

/** Null if nothing of the definition was sent. What says the same as the newest revision is no new one. */
async function nextRevision(tx: Tx, head: RouteHead, input: Update) {
  const { name, rules, default: otherwise, failover, limits, examples } = input
  const sent = { name, rules, default: otherwise, failover, limits, examples }
  if (Object.values(sent).every((member) => member === undefined)) return null
  const { definition: newest } = await requireRevision(tx, head, head.latestRevision)
  const definition = requireDefinition(changed(newest, sent))
  const findings = await (input.draft === true ? findingsOf : requirePublishable)(tx, definition)
  if (isSame(definition, newest)) return { number: head.latestRevision, findings }
  const number = head.latestRevision + 1
  await revisions.insertRevision(tx, head.id, { number, definition, copyOf: null })
  return { number, findings }
}

/** No new payments are made by it. Those that were go on: their revisions stay. */
export function archivePaymentRoute(deps: Deps, caller: Caller, id: string): Promise<PaymentRoute> {
  return transact(deps, caller, async (tx) => {
    const head = await lockLive(tx, id)
    const before = await withDefinition(tx, head)
    if (!isChange(admit(head, 'archive'))) return before
    const after = { ...before, ...(await store.updateRoute(tx, head, { status: 'archived' })) }
    await followLearning(tx, head.id, { before: before.definition, after: null })
    tx.emit(events.paymentRouteArchived, { before, after })
    return after
  })
}

/** One that was never published: no payment can have been made by it. */
export function deletePaymentRoute(deps: Deps, caller: Caller, id: string): Promise<RouteHead> {
  return transact(deps, caller, async (tx) => {
    const head = await store.lockRoute(tx, id)
    if (head.deletedAt !== null) return head
    admit(head, 'delete')
    const before = await withDefinition(tx, head)
    const after = { ...before, ...(await store.updateRoute(tx, head, { deletedAt: tx.now })) }
    tx.emit(events.paymentRouteDeleted, { after })
    return after
  })
}
