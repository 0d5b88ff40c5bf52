/**
 * Background work that posts the history of objects from before the ledger existed, or from a process without
 * it. A batch reads objects without locks, locks only those that lack postings, and reads them again. It
 * never waits for a lock: an object that is in use is handled by the next pass. Postings and position are
 * written in one transaction.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import type { Id, Kind, Ref } from '../../../../kernel/id.ts'
import { insertMissingPostings } from '../../../../platform/db/postings.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { advanceBackfill, type BatchResult, type Stage } from '../backfill.ts'
import { actOfCreditEntry } from '../credit-entry-history.ts'
import { deriveInvoice, type InvoiceHistory } from '../invoice-history.ts'
import { type DatedPosting, datedPostings } from '../missing-postings.ts'
import { derivePayment, type PaymentHistory } from '../payment-history.ts'
import {
  type Backfilled,
  lockBackfill,
  lockFree,
  updateBackfill,
  upsertBackfill,
} from '../store/backfills.ts'
import * as invoices from '../store/invoice-histories.ts'
import * as payments from '../store/payment-histories.ts'

const batchSize = 500
const maxLogged = 20

type Batch = BatchResult & {
  /** Objects whose amounts contradict each other. Nothing is posted for them. */
  readonly contradictions: readonly Id<Kind>[]
}

export async function backfillWorkspace(deps: Deps, ref: Ref<'workspace'>, limit = batchSize): Promise<void> {
  const contradictions = await transact(deps, systemCaller(ref), (tx) => backfillBatch(tx, limit))
  if (contradictions.length === 0) return
  deps.financeMetrics.ledgerContradictions.inc(contradictions.length)
  deps.log.warn('Not posted to the ledger: the amounts of these objects contradict each other.', {
    workspace_id: ref.workspaceId,
    count: contradictions.length,
    names: contradictions.slice(0, maxLogged),
  })
}

/** Starts the backfill of a workspace again, for example after a version without a ledger was used for a while. */
export async function startBackfill(deps: Deps, caller: Caller): Promise<void> {
  await transact(deps, caller, upsertBackfill)
}

async function backfillBatch(tx: Tx, limit: number): Promise<readonly Id<Kind>[]> {
  const before = await lockBackfill(tx)
  if (before === null) return []
  const batch = await batchOf[before.stage](tx, { after: before.afterUuid, limit })
  await updateBackfill(tx, advanceBackfill(before, batch, tx.now))
  return batch.contradictions
}

const batchOf: { readonly [S in Stage]: (tx: Tx, page: payments.Page) => Promise<Batch> } = {
  payments: async (tx, page) => {
    const { histories, lastUuid } = await payments.findPaymentPage(tx, page)
    const filled = await fillGaps(tx, histories, {
      gapOf: paymentGap,
      kind: 'payment',
      find: payments.findPaymentHistories,
      update: payments.updateUnappliedAmounts,
    })
    return { ...filled, lastUuid }
  },
  invoices: async (tx, page) => {
    const { histories, lastUuid } = await invoices.findInvoicePage(tx, page)
    const filled = await fillGaps(tx, histories, {
      gapOf: invoiceGap,
      kind: 'invoice',
      find: invoices.findInvoiceHistories,
      update: invoices.updateEarnedAt,
    })
    return { ...filled, lastUuid }
  },
  credit_entries: backfillCreditEntries,
}

/** The postings that an object lacks, and the resulting change of a column. */
type Gap<Change> = { readonly missing: readonly DatedPosting[]; readonly change: Change | null }

type Source<K extends Backfilled, History, Change> = {
  /** Null if the amounts of the object contradict each other. */
  readonly gapOf: (history: History) => Gap<Change> | null
  readonly kind: K
  readonly find: (tx: Tx, ids: readonly Id<K>[]) => Promise<History[]>
  readonly update: (tx: Tx, changes: readonly Change[]) => Promise<void>
}

/**
 * Posts the missing postings of objects. The objects were first read without locks and may have changed
 * since, so the missing postings are determined again.
 */
async function fillGaps<K extends Backfilled, History extends { readonly id: Id<K> }, Change>(
  tx: Tx,
  histories: readonly History[],
  { gapOf, kind, find, update }: Source<K, History, Change>,
): Promise<Omit<Batch, 'lastUuid'>> {
  const incomplete = histories.filter((history) => !isComplete(gapOf(history)))
  if (incomplete.length === 0) return { foundMissing: false, contradictions: [] }
  const lockedIds = await lockFree(
    tx,
    kind,
    incomplete.map(({ id }) => id),
  )
  const locked = (await find(tx, lockedIds)).map((history) => ({ id: history.id, gap: gapOf(history) }))
  const gaps = locked.flatMap(({ gap }) => gap ?? [])
  await insertMissingPostings(
    { db: tx.db, workspaceId: tx.caller.workspaceId },
    gaps.flatMap(({ missing }) => missing),
  )
  await update(
    tx,
    gaps.flatMap(({ change }) => change ?? []),
  )
  return {
    foundMissing: lockedIds.length < incomplete.length || gaps.some((gap) => !isComplete(gap)),
    contradictions: locked.flatMap(({ id, gap }) => (gap === null ? [id] : [])),
  }
}

const isComplete = (gap: Gap<unknown> | null) =>
  gap !== null && gap.missing.length === 0 && gap.change === null

function paymentGap(payment: PaymentHistory): Gap<payments.UnappliedChange> | null {
  const derived = derivePayment(payment)
  if (derived === null) return null
  const { missing, amountUnapplied } = derived
  const change = amountUnapplied === payment.amountUnapplied ? null : { id: payment.id, amountUnapplied }
  return { missing, change }
}

function invoiceGap(invoice: InvoiceHistory): Gap<invoices.EarnedChange> | null {
  const derived = deriveInvoice(invoice)
  if (derived === null) return null
  const { missing, earnedAt } = derived
  const change = earnedAt === null || invoice.earnedAt !== null ? null : { id: invoice.id, earnedAt }
  return { missing, change }
}

/** Entries never change and are posted when they are created, so they are not locked. */
async function backfillCreditEntries(tx: Tx, page: payments.Page): Promise<Batch> {
  const { entries, lastUuid } = await invoices.findEntryPage(tx, page)
  const acts = entries.map((entry) => ({ id: entry.id, act: actOfCreditEntry(entry) }))
  const inserted = await insertMissingPostings(
    { db: tx.db, workspaceId: tx.caller.workspaceId },
    acts.flatMap(({ act }) => (act === null ? [] : datedPostings(act))),
  )
  const contradictions = acts.flatMap(({ id, act }) => (act === null ? [id] : []))
  return { lastUuid, foundMissing: inserted > 0, contradictions }
}
