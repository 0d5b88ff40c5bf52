/**
 * Creates, reads and changes payment routes. Functions that take a `caller` open a transaction; functions
 * that take a `tx` use the transaction of their caller.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { isChange } from '../../../kernel/machine.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { isSame, withChanges } from './definition-input.ts'
import * as events from './events.ts'
import {
  type Definition,
  maxCounts,
  type PaymentRoute,
  type RouteHead,
  type SavedRoute,
} from './payment-route.ts'
import type { CreatePaymentRoute, UpdatePaymentRoute } from './schema.ts'
import { startOrStopLearning } from './service/learn.ts'
import {
  findingsOf,
  type LintDeps,
  readLintDeps,
  requireDefinition,
  requirePublishable,
} from './service/lint.ts'
import {
  lockUndeleted,
  requireRevision,
  requireTransition,
  unsetDefault,
  withDefinition,
  withDefinitions,
} from './service/save.ts'
import * as revisions from './store/revisions.ts'
import * as store from './store/routes.ts'

export async function createPaymentRoute(
  deps: Deps,
  caller: Caller,
  body: CreatePaymentRoute,
): Promise<SavedRoute> {
  const definition = requireDefinition(body)
  const { draft = false, is_default: isDefault = false, metadata = {} } = body
  if (draft && isDefault) refuseMember('/is_default', 'not_together', 'cannot be combined with draft')
  const lintDeps = await readLintDeps(deps, caller)
  return transact(deps, caller, async (tx) => {
    await store.lockRoutes(tx)
    if (await store.isAtLimit(tx)) {
      refuse('limit_reached', {
        detail: `Limit reached: a workspace can have at most ${maxCounts.routes} payment routes.`,
      })
    }
    const findings = await (draft ? findingsOf : requirePublishable)(lintDeps, tx, definition)
    if (isDefault) await unsetDefault(tx, null)
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
  await startOrStopLearning(tx, id, { before: null, after: definition })
}

export function getPaymentRoute(deps: Deps, caller: Caller, id: string): Promise<PaymentRoute> {
  return read(deps, caller, async (view) => withDefinition(view, await store.requireRoute(view, id)))
}

export function listPaymentRoutes(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listRoutes(view, range)
    return withDefinitions(view, rows, { direction: range.direction, hasMore })
  })
}

type Update = UpdatePaymentRoute & { readonly ifMatch: number | null }

/**
 * Changed definition members create a revision based on the newest one. Other members are not part of
 * revisions.
 */
export async function updatePaymentRoute(
  deps: Deps,
  caller: Caller,
  id: string,
  input: Update,
): Promise<SavedRoute> {
  const lintDeps = await readLintDeps(deps, caller)
  return transact(deps, caller, async (tx) => {
    if (input.is_default !== undefined) await store.lockRoutes(tx)
    const head = await lockUndeleted(tx, id)
    requireTransition(head, 'update')
    requireCurrentVersion(head, input)
    const before = await withDefinition(tx, head)
    const savedRevision = await nextRevision(lintDeps, tx, head, input)
    const changes = changesOf(head, input, savedRevision?.number ?? null)
    if (changes.isDefault && !head.isDefault) await unsetDefault(tx, head)
    const findings = savedRevision?.findings ?? []
    // Nothing changed, so no event is emitted.
    if (isUnchanged(head, changes)) return { ...before, findings }
    return { ...(await writeChange(tx, before, changes)), findings }
  })
}

function changesOf(head: RouteHead, input: Update, savedRevision: number | null): Changes {
  const { draft = false, is_default: isDefault = head.isDefault, metadata } = input
  const revision = draft ? head.revision : (savedRevision ?? head.revision)
  if (isDefault && revision === null) {
    refuseMember('/is_default', 'not_together', 'requires a published revision')
  }
  return {
    revision,
    latestRevision: Math.max(head.latestRevision, savedRevision ?? 0),
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
    await startOrStopLearning(tx, after.id, { before: before.definition, after: after.definition })
  }
  tx.emit(publishes ? events.paymentRoutePublished : events.paymentRouteUpdated, { before, after })
  return after
}

function requireCurrentVersion(
  { version, latestRevision }: RouteHead,
  { ifMatch, if_revision: expectedRevision }: Update,
): void {
  if (ifMatch !== null && ifMatch !== version) refuse('version_mismatch')
  if (expectedRevision === undefined || expectedRevision === latestRevision) return
  refuse('version_mismatch', { detail: `The newest revision is ${latestRevision}, not ${expectedRevision}.` })
}

/** Null if nothing is saved or published. A definition equal to the newest revision creates no new one. */
async function nextRevision(deps: LintDeps, tx: Tx, head: RouteHead, input: Update) {
  const { name, rules, default: defaultAction, failover, limits, examples } = input
  const sentMembers = { name, rules, default: defaultAction, failover, limits, examples }
  const publishesDraft = input.draft === false && head.latestRevision !== head.revision
  if (!publishesDraft && Object.values(sentMembers).every((member) => member === undefined)) return null
  const { definition: newest } = await requireRevision(tx, head, head.latestRevision)
  const definition = requireDefinition(withChanges(newest, sentMembers))
  const findings = await (input.draft === true ? findingsOf : requirePublishable)(deps, tx, definition)
  if (isSame(definition, newest)) return { number: head.latestRevision, findings }
  const number = head.latestRevision + 1
  await revisions.insertRevision(tx, head.id, { number, definition, copyOf: null })
  return { number, findings }
}

/** No new payments use an archived route. Existing payments keep their revisions. */
export function archivePaymentRoute(deps: Deps, caller: Caller, id: string): Promise<PaymentRoute> {
  return transact(deps, caller, async (tx) => {
    const head = await lockUndeleted(tx, id)
    const before = await withDefinition(tx, head)
    if (!isChange(requireTransition(head, 'archive'))) return before
    const after = { ...before, ...(await store.updateRoute(tx, head, { status: 'archived' })) }
    await startOrStopLearning(tx, head.id, { before: before.definition, after: null })
    tx.emit(events.paymentRouteArchived, { before, after })
    return after
  })
}

/** Deletes a route. Only a route that was never published can be deleted, because no payment can have used it. */
export function deletePaymentRoute(deps: Deps, caller: Caller, id: string): Promise<RouteHead> {
  return transact(deps, caller, async (tx) => {
    const head = await store.lockRoute(tx, id)
    if (head.deletedAt !== null) return head
    requireTransition(head, 'delete')
    const before = await withDefinition(tx, head)
    const after = { ...before, ...(await store.updateRoute(tx, head, { deletedAt: tx.now })) }
    tx.emit(events.paymentRouteDeleted, { after })
    return after
  })
}
