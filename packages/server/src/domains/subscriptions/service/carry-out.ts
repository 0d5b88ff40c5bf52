/**
 * Stores plans: the only writer of subscriptions. What many of them want is written together, in as many
 * statements as one of them needs.
 */
import type { Ref } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as invoices from '../../invoices/service.ts'
import { orderRefund } from '../../payments/service/held.ts'
import type { Progress } from '../../payments/service/record.ts'
import { shown } from '../collection.ts'
import { toldBy } from '../events.ts'
import type { Plan } from '../plan/scene.ts'
import { changeSpans } from '../store/spans.ts'
import { updateSubscriptions } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import type { Seen } from './scene.ts'

export type Planned = { readonly seen: Seen; readonly plan: Plan }

/** What is left to be sent when the unit has been committed. */
export type Sending = { readonly ref: Ref<'payment'>; readonly progress: Progress }

/** Gives the subscriptions as they are then, in the same order. */
export async function carryOut(tx: Tx, many: readonly Planned[]): Promise<Subscription[]> {
  const touching = many.filter(({ plan }) => touchesInvoices(plan)).map(({ seen }) => seen.subscription.id)
  await invoices.lockInvoicesOf(tx, touching)
  const after = await writeSteps(tx, many)
  for (const { seen, plan } of many) await settleMoney(tx, seen, plan)
  await invoices.draftInvoices(
    tx,
    many.flatMap(({ plan }) => plan.invoices),
  )
  const spans = many.map(({ seen, plan }) => ({ subscriptionId: seen.subscription.id, changes: plan.spans }))
  await changeSpans(
    tx,
    spans.filter(({ changes }) => changes.length > 0),
  )
  return after
}

function touchesInvoices({ voids, collection, attempts }: Plan): boolean {
  return voids.length > 0 || collection !== null || attempts.length > 0
}

/** Each state that one passes through is a version with an event of its own. */
async function writeSteps(tx: Tx, many: readonly Planned[]): Promise<Subscription[]> {
  const reached = many.map(({ seen }) => seen.subscription)
  const most = Math.max(0, ...many.map(({ plan }) => plan.steps.length))
  for (let round = 0; round < most; round += 1) {
    const turns = many.flatMap(({ seen, plan }, place) => {
      const step = plan.steps[round]
      return step === undefined ? [] : [{ place, step, seen, plan, before: reached[place] as Subscription }]
    })
    const written = await updateSubscriptions(
      tx,
      turns.map(({ step, before }) => ({ before, after: step.after, told: true })),
    )
    for (const [turn, { place, step, seen, plan, before }] of turns.entries()) {
      const after = written[turn] as Subscription
      const left = seen.owed.filter(({ id }) => !plan.voids.includes(id))
      tx.emit(toldBy[step.telling], {
        before: shown(before, seen.owed),
        after: shown(after, left),
      })
      reached[place] = after
    }
  }
  return reached
}

async function settleMoney(tx: Tx, { subscription, owed }: Seen, plan: Plan): Promise<void> {
  const { id, currency } = subscription
  if (plan.takesPending) await invoices.takePendingLines(tx, id)
  if (plan.pendingLines.length > 0) await invoices.addPendingLines(tx, { id, currency }, plan.pendingLines)
  // What was paid or given up meanwhile is left as it is.
  for (const invoiceId of plan.voids.filter((one) => owed.some((invoice) => invoice.id === one)))
    await invoices.voidInvoiceIn(tx, invoiceId, whyVoid(plan), { ifPaying: 'leave' })
  if (plan.collection === 'hold') await invoices.holdCollection(tx, id)
  if (plan.collection === 'release') await invoices.releaseCollection(tx, id)
  for (const invoiceId of plan.attempts) await invoices.scheduleAttempt(tx, invoiceId, tx.now)
}

function whyVoid({ steps }: Plan): 'activation_expired' | 'pause' | 'requested' {
  if (steps.some(({ telling }) => telling === 'activation_expired')) return 'activation_expired'
  return steps.some(({ telling }) => telling === 'paused') ? 'pause' : 'requested'
}

/** Money that goes back the way it came. What did not come by a payment becomes credit. */
export async function giveBack(tx: Tx, { seen, plan }: Planned): Promise<Sending | null> {
  if (plan.refund === null) return null
  const { invoiceId, amount } = plan.refund
  const { subscription } = seen
  const { paymentId, amountPaid, amountRefunded } = await invoices.findInvoice(tx, invoiceId)
  const left = amountPaid - amountRefunded
  const refunded = paymentId === null ? 0n : lesser(left, amount)
  if (refunded < amount)
    await invoices.grantCredit(tx, {
      ...{ customerId: subscription.customerId, currency: subscription.currency, invoiceId },
      ...{ amount: amount - refunded, reason: 'unused_time' },
    })
  if (paymentId === null || refunded === 0n) return null
  const progress = await orderRefund(tx, {
    payment_id: paymentId,
    amount: Number(refunded),
    source: 'automatic',
  })
  return { ref: { workspaceId: tx.caller.workspaceId, id: paymentId }, progress }
}

const lesser = (a: bigint, b: bigint) => (b > a ? a : b)
