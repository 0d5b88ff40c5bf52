/** What became of invoices becomes of their subscriptions: money moves on its own, and is heard of here. */
import type { Deps } from '../../../deps.ts'
import { wholeSecond } from '../../../kernel/calendar.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { acknowledge, findInvoice, type Invoice, lockInvoicesOf } from '../../invoices/service.ts'
import { collectionOf } from '../collection.ts'
import { nextDue } from '../plan/due.ts'
import { type News, planNews } from '../plan/plan.ts'
import { joined, type Moment, nothing, type Plan, sceneAfter } from '../plan/scene.ts'
import { newsOf } from '../store/money.ts'
import { lockSubscription, updateSubscriptions } from '../store/subscriptions.ts'
import { type Decline, isActivating, type Subscription } from '../subscription.ts'
import { carryOut, giveBack, type Sending } from './carry-out.ts'
import { drawIn, type Seen, see } from './scene.ts'
import { send } from './send.ts'

/** Work: an invoice was paid, declined, voided or given up. */
export async function settleSubscription(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  const { sending } = await transact(deps, systemCaller(ref), async (tx) =>
    hearOf(tx, await lockSubscription(tx, ref.id)),
  )
  if (sending !== null) await send(deps, sending)
}

export type Heard = { readonly seen: Seen; readonly sending: Sending | null }

/** Hears all news there are. The caller holds the lock. */
export async function hearOf(tx: Tx, subscription: Subscription): Promise<Heard> {
  const named = await newsOf(tx, subscription.id)
  const locked = named.length === 0 ? [] : await lockInvoicesOf(tx, [subscription.id], named)
  const invoices = locked.filter(({ subscriptionDueAt }) => subscriptionDueAt !== null)
  const seen = await see(tx, subscription)
  if (invoices.length === 0) return { seen, sending: null }
  const moment = { at: wholeSecond(tx.now), now: tx.now, draw: drawIn(tx) }
  const plan = planHearing(seen, invoices, moment)
  await acknowledge(tx, invoices)
  const [after] = await carryOut(tx, [{ seen, plan }])
  await lookAgain(tx, seen, after as Subscription)
  const sending = await giveBack(tx, { seen, plan })
  return { seen: await see(tx, await lockSubscription(tx, subscription.id)), sending }
}

/** What it waited for may be another now, though nothing about it is to be told. */
async function lookAgain(tx: Tx, { subscription: before }: Seen, after: Subscription): Promise<void> {
  if (after.version !== before.version) return
  const nextActionAt = nextDue(await see(tx, after))?.at ?? null
  if (nextActionAt?.getTime() === after.nextActionAt?.getTime()) return
  await updateSubscriptions(tx, [{ before: after, after: { ...after, nextActionAt }, told: false }])
}

export async function invoicesWithNews(view: View, id: Id<'subscription'>): Promise<Invoice[]> {
  const invoices: Invoice[] = []
  for (const invoiceId of await newsOf(view, id)) invoices.push(await findInvoice(view, invoiceId))
  return invoices
}

/** One piece of news after the other, and what is owed after all of them. */
export function planHearing(seen: Seen, invoices: readonly Invoice[], moment: Moment): Plan {
  let plan: Plan = nothing
  const hear = (news: News) => {
    plan = joined(plan, planNews(sceneAfter(seen, plan), news, moment))
  }
  for (const invoice of invoices) {
    const news = newsIn(sceneAfter(seen, plan).subscription, invoice)
    if (news !== null) hear(news)
  }
  const { subscription } = sceneAfter(seen, plan)
  const { status } = collectionOf(seen.owed, subscription.dunning)
  if (subscription.status !== 'cancelled') hear({ is: 'collection', status })
  return plan
}

function newsIn(subscription: Subscription, invoice: Invoice): News | null {
  const isIts = subscription.activation?.invoiceId === invoice.id
  const isWaitedFor = isIts && isActivating(subscription)
  if (invoice.status === 'paid') {
    if (isIts && subscription.status === 'cancelled' && subscription.activation?.state === 'expired')
      return { is: 'paid_too_late', invoiceId: invoice.id, amount: invoice.amountPaid }
    return isWaitedFor ? { is: 'paid' } : { is: 'overdue_settled' }
  }
  if (!isWaitedFor) return null
  if (invoice.status === 'void' || invoice.status === 'uncollectible') return { is: 'activation_voided' }
  if (invoice.livePaymentId !== null)
    return { is: 'declined', paymentId: invoice.livePaymentId, decline: null }
  return invoice.lastFailure === null ? null : { is: 'declined', ...declineOf(invoice.lastFailure) }
}

function declineOf(failure: NonNullable<Invoice['lastFailure']>): {
  readonly paymentId: Id<'payment'> | null
  readonly decline: Decline
} {
  const { code, advice_code: adviceCode, message, payment_id: paymentId } = failure
  return { paymentId: paymentId as Id<'payment'> | null, decline: { code, adviceCode, message } }
}
