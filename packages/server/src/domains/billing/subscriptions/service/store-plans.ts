/**
 * Stores plans. No other code writes subscriptions, except to create them and to update their due time. Many
 * plans are written with few statements.
 */
import type { Id, Ref } from '../../../../kernel/id.ts'
import { smallerOf } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { createMails, type NewMail } from '../../../payments/mails/service.ts'
import { beginRefund } from '../../../payments/payments/commands/create-refund.ts'
import type { Progress } from '../../../payments/payments/operations/progress.ts'
import { countCustomerPeriods } from '../../discounts/service.ts'
import * as invoices from '../../invoices/service.ts'
import { withAccess } from '../collection.ts'
import { eventDefinitions } from '../events.ts'
import type { Plan } from '../plan/snapshot.ts'
import { usageChangesOf } from '../plan/usage.ts'
import { changeSpans } from '../store/spans.ts'
import { updateSubscriptions } from '../store/subscriptions.ts'
import { changeUsagePeriods } from '../store/usage-periods.ts'
import type { Subscription } from '../subscription.ts'
import { mailsOf } from '../subscription-mails.ts'
import type { LoadedSnapshot } from './load-snapshot.ts'

export type PlannedChange = { readonly snapshot: LoadedSnapshot; readonly plan: Plan }

/** A payment operation to send after the commit. */
export type PaymentToSend = { readonly ref: Ref<'payment'>; readonly progress: Progress }

/** Returns the updated subscriptions, in the same order. */
export async function storePlans(tx: Tx, changes: readonly PlannedChange[]): Promise<Subscription[]> {
  const ids = changes
    .filter(({ plan }) => touchesInvoices(plan))
    .map(({ snapshot }) => snapshot.subscription.id)
  await invoices.lockInvoicesOf(tx, ids, ids.length === 0 ? [] : changes.flatMap(leftPeriods))
  const after = await writeSteps(tx, changes)
  await countCustomerPeriods(tx, changes.map(discountStates))
  for (const { snapshot, plan } of changes) await applyToInvoices(tx, snapshot, plan)
  await invoices.draftInvoices(
    tx,
    changes.flatMap(({ plan }) => plan.invoices),
  )
  await invoices.endPeriods(tx, changes.flatMap(leftPeriods))
  for (const { invoiceId, amount, as } of changes.flatMap(({ plan }) => plan.returns))
    await invoices.setReturnOnPayment(tx, invoiceId, { amount, as })
  for (const { snapshot, plan } of changes)
    await changeUsagePeriods(tx, snapshot.subscription, usageChangesOf(snapshot.subscription, plan))
  const spans = changes.map(({ snapshot, plan }) => ({
    subscriptionId: snapshot.subscription.id,
    changes: plan.spans,
  }))
  await changeSpans(
    tx,
    spans.filter(({ changes }) => changes.length > 0),
  )
  return after
}

function touchesInvoices({ voids, collection, attempts }: Plan): boolean {
  return voids.length > 0 || collection !== null || attempts.length > 0
}

/** The invoices of the periods that the subscription leaves. A plan can pass through several periods. */
function leftPeriods({ snapshot, plan }: PlannedChange): Id<'invoice'>[] {
  const states = [snapshot.subscription, ...plan.steps.map(({ after }) => after)]
  const invoiceIds = states.flatMap(({ currentPeriod }) => currentPeriod?.invoiceId ?? [])
  const current = states.at(-1)?.currentPeriod?.invoiceId
  return [...new Set(invoiceIds)].filter((id) => id !== current)
}

const discountStates = ({ snapshot, plan }: PlannedChange) => [
  snapshot.subscription.discounts,
  ...plan.steps.map(({ after }) => after.discounts),
]

/** Each intermediate state is a version with its own event. */
async function writeSteps(tx: Tx, changes: readonly PlannedChange[]): Promise<Subscription[]> {
  await createMails(tx, changes.flatMap(plannedMails))
  const current = changes.map(({ snapshot }) => snapshot.subscription)
  const maxSteps = Math.max(0, ...changes.map(({ plan }) => plan.steps.length))
  for (let round = 0; round < maxSteps; round += 1) {
    const writes = changes.flatMap(({ snapshot, plan }, index) => {
      const step = plan.steps[round]
      return step === undefined
        ? []
        : [{ index, step, snapshot, plan, before: current[index] as Subscription }]
    })
    const updated = await updateSubscriptions(
      tx,
      writes.map(({ step, before }) => ({ before, after: step.after, emitsEvent: true })),
    )
    for (const [position, { index, step, snapshot, plan, before }] of writes.entries()) {
      const after = updated[position] as Subscription
      const owedAfter = snapshot.owed.filter(({ id }) => !plan.voids.includes(id))
      tx.emit(eventDefinitions[step.event], {
        before: withAccess(before, snapshot.owed),
        after: withAccess(after, owedAfter),
      })
      current[index] = after
    }
  }
  return current
}

function plannedMails({ snapshot, plan }: PlannedChange): NewMail[] {
  const { customerId } = snapshot.subscription
  return plan.steps.flatMap(mailsOf).map(({ at, kind, objectId, ...mail }) => ({
    ...mail,
    kind,
    objectId: objectId as NewMail['objectId'],
    customerId,
    recipient: null,
    locale: null,
    facts: at === undefined ? {} : { at: at.toISOString() },
  }))
}

async function applyToInvoices(tx: Tx, { subscription }: LoadedSnapshot, plan: Plan): Promise<void> {
  const { id, currency } = subscription
  if (plan.includesPendingLines) await invoices.takePendingLines(tx, id)
  if (plan.pendingLines.length > 0) await invoices.addPendingLines(tx, { id, currency }, plan.pendingLines)
  for (const invoiceId of plan.voids) await invoices.withdrawInvoice(tx, invoiceId, voidReasonOf(plan))
  const endsCampaigns = plan.steps.some(({ after }) => after.status === 'cancelled')
  if (plan.collection === 'hold') await invoices.holdCollection(tx, id, { endsCampaigns })
  if (plan.collection === 'release') await invoices.releaseCollection(tx, id)
  for (const invoiceId of plan.attempts) await invoices.scheduleAttempt(tx, invoiceId, tx.now)
}

function voidReasonOf({ steps }: Plan): 'activation_expired' | 'pause' | 'requested' {
  if (steps.some(({ event }) => event === 'activation_expired')) return 'activation_expired'
  // A subscription whose resumption awaits a payment is still paused, but has an activation.
  const isPause = steps.some(
    ({ event, after }) => event === 'paused' || (after.status === 'paused' && after.activation === null),
  )
  return isPause ? 'pause' : 'requested'
}

/**
 * Refunds the invoices that paid for the period, latest first, each up to the amount that was not refunded
 * yet. An amount that no payment covers becomes credit.
 */
export async function refundUnusedTime(tx: Tx, { snapshot, plan }: PlannedChange): Promise<PaymentToSend[]> {
  if (plan.refund === null) return []
  const { invoiceId, amount } = plan.refund
  const paymentsToSend: PaymentToSend[] = []
  let left = amount
  for (const invoice of await invoices.paidInvoicesSince(tx, snapshot.subscription.id, invoiceId)) {
    const refundAmount = smallerOf(left, invoices.keptOf(invoice))
    if (refundAmount <= 0n) continue
    const paymentToSend = await refundPart(tx, invoice, refundAmount)
    if (paymentToSend !== null) paymentsToSend.push(paymentToSend)
    left -= refundAmount
  }
  if (left > 0n) await grantUnusedTimeCredit(tx, await invoices.findInvoice(tx, invoiceId), left)
  return paymentsToSend
}

/** Credits or refunds unused time of invoices that were paid after their subscription was paused or cancelled. */
export async function returnUnusedTime(tx: Tx, paid: readonly invoices.Invoice[]): Promise<PaymentToSend[]> {
  const paymentsToSend: PaymentToSend[] = []
  for (const { id, returnOnPayment } of paid) {
    if (returnOnPayment === null) continue
    const invoice = await invoices.setReturnOnPayment(tx, id, null)
    const amount = smallerOf(returnOnPayment.amount, invoices.keptOf(invoice))
    if (amount <= 0n) continue
    if (returnOnPayment.as === 'credit') await grantUnusedTimeCredit(tx, invoice, amount)
    const paymentToSend = returnOnPayment.as === 'refund' ? await refundPart(tx, invoice, amount) : null
    if (paymentToSend !== null) paymentsToSend.push(paymentToSend)
  }
  return paymentsToSend
}

/** Refunds up to the captured amount. The rest becomes credit. */
async function refundPart(tx: Tx, invoice: invoices.Invoice, amount: bigint): Promise<PaymentToSend | null> {
  const { paymentId, amountPaid, amountRefunded, amountRefunding } = invoice
  // A pending refund counts as refunded, so that nothing is returned twice.
  const left = amountPaid - amountRefunded - amountRefunding
  const refunded = paymentId === null ? 0n : smallerOf(left, amount)
  if (refunded < amount) await grantUnusedTimeCredit(tx, invoice, amount - refunded)
  if (paymentId === null || refunded === 0n) return null
  const progress = await beginRefund(tx, {
    payment_id: paymentId,
    amount: Number(refunded),
    source: 'automatic',
  })
  return progress && { ref: { workspaceId: tx.caller.workspaceId, id: paymentId }, progress }
}

async function grantUnusedTimeCredit(
  tx: Tx,
  { customerId, currency, id: invoiceId }: invoices.Invoice,
  amount: bigint,
): Promise<void> {
  await invoices.grantCredit(tx, { customerId, currency, invoiceId, amount, reason: 'unused_time' })
}
