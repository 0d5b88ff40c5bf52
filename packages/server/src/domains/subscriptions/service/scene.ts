/** Subscriptions and what plans need to know beside them. For many it costs as many statements as for one. */
import type { Id } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { pendingLinesOf } from '../../invoices/service.ts'
import type { OwedInvoice } from '../collection.ts'
import type { Draw, MoneyFacts, Scene } from '../plan/scene.ts'
import * as money from '../store/money.ts'
import type { Subscription } from '../subscription.ts'

/** A scene, and all that is owed in it. */
export type Seen = Scene & { readonly owed: readonly OwedInvoice[] }

export async function seeAll(view: View, subscriptions: readonly Subscription[]): Promise<Seen[]> {
  if (subscriptions.length === 0) return []
  const ids = subscriptions.map(({ id }) => id)
  const owed = await money.owedBy(view, ids)
  const current = await money.currentInvoices(view, subscriptions)
  const waiting = await money.withPendingLines(view, ids)
  const seen: Seen[] = []
  for (const subscription of subscriptions) {
    const { id, currentPeriod } = subscription
    const own = owed.get(id) ?? []
    seen.push({
      subscription,
      owed: own,
      money: {
        current: (currentPeriod && current.get(currentPeriod.invoiceId)) ?? null,
        paidForPeriod: await paidFor(view, subscription),
        ...openOf(own),
        pending: waiting.has(id) ? await pendingLinesOf(view, id) : [],
      },
    })
  }
  return seen
}

export async function see(view: View, subscription: Subscription): Promise<Seen> {
  const [seen] = await seeAll(view, [subscription])
  return seen as Seen
}

function openOf(owed: readonly OwedInvoice[]): Pick<MoneyFacts, 'open' | 'overdue'> {
  return {
    open: owed.map(({ id }) => id),
    overdue: owed.filter(({ overdueSinceAt }) => overdueSinceAt !== null).map(({ id }) => id),
  }
}

/** Only who may leave a period before its end has to know. Renewals, which are many, do not ask. */
async function paidFor(view: View, { id, currentPeriod, scheduledChange }: Subscription): Promise<bigint> {
  const mayLeave = scheduledChange?.action === 'cancel' || scheduledChange?.action === 'pause'
  return currentPeriod === null || !mayLeave ? 0n : money.paidSince(view, id, currentPeriod.invoiceId)
}

/** For a command that gives something back. */
export async function withPaid(view: View, seen: Seen): Promise<Seen> {
  const { id, currentPeriod } = seen.subscription
  if (currentPeriod === null) return seen
  const paidForPeriod = await money.paidSince(view, id, currentPeriod.invoiceId)
  return { ...seen, money: { ...seen.money, paidForPeriod } }
}

export function drawIn(tx: Tx): Draw {
  return {
    invoice: (): Id<'invoice'> => tx.newId('invoice'),
    change: (): Id<'subscription_change'> => tx.newId('subscription_change'),
  }
}
