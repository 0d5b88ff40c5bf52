/**
 * Bills the usage of periods that have ended, an hour after their end, and later the difference that late or cancelled
 * events make. Usage is read together with the number of the last event that it includes. An event with a greater
 * number is part of a later correction, so each event is billed once.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import type { InvoiceDraft, LineDraft } from '../../../../kernel/invoice-lines.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { findAnyCustomer } from '../../../payments/customers/service.ts'
import { draftInvoice, findLines, type KeptOfUsage, keptOfUsage } from '../../invoices/service.ts'
import { triggerAlertsOfSubscription } from '../../meters/service/aggregate.ts'
import { type BillableUsage, countRecordedEvents, usageOfPeriod } from '../../meters/service/period-usage.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import { draftOf } from '../plan/period.ts'
import type { Plan } from '../plan/snapshot.ts'
import { noTax, type TaxFacts } from '../plan/tax.ts'
import { correctionLines, settlingTimeOf, usageChangesOf, usageLines } from '../plan/usage.ts'
import { lockSubscription } from '../store/subscriptions.ts'
import {
  type BilledUsage,
  postponeSettling,
  storeBilledUsage,
  type UsagePeriod,
  unsettledPeriods,
} from '../store/usage-periods.ts'
import type { Subscription } from '../subscription.ts'
import { idFactoryOf } from './load-snapshot.ts'

/** Worker: a usage period is due to be billed or settled. */
export async function billUsage(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  await countRecordedEvents(deps, ref.workspaceId)
  await triggerAlertsOfSubscription(deps, ref)
  await transact(deps, systemCaller(ref), async (tx) => {
    const subscription = await lockSubscription(tx, ref.id)
    const periods = await unsettledPeriods(tx, subscription)
    const due = periods.filter(({ dueAt }) => dueAt !== null && dueAt <= tx.now)
    const ended = due.filter(({ status }) => status === 'ended')
    // The next bill of the subscription contains the correction.
    if (ended.length === 0 && periods.some(({ status }) => status !== 'closed'))
      return postponeSettling(
        tx,
        due.map(({ id }) => id),
      )
    const billed = periods.filter(({ status }) => status === 'closed')
    if (due.length > 0) await billPeriods(tx, subscription, { ended, billed })
  })
}

type Periods = { readonly ended: readonly UsagePeriod[]; readonly billed: readonly UsagePeriod[] }

async function billPeriods(tx: Tx, subscription: Subscription, periods: Periods): Promise<void> {
  const planned = await planUsageLines(tx, subscription, periods)
  const lines = planned.flatMap(({ line }) => line ?? [])
  const isBilled =
    lines.some(({ amount }) => amount !== 0n) && !(await isDeleted(tx, subscription.customerId))
  const context = { at: tx.now, now: tx.now, ids: idFactoryOf(tx) }
  // If the total is negative, it first reduces what is owed for the usage that it credits.
  const reduced = { reducesInvoiceId: planned.find(({ invoiceId }) => invoiceId !== null)?.invoiceId ?? null }
  const invoice = isBilled
    ? await draftInvoice(
        tx,
        draftOf(subscription, context, { reason: 'usage', collect: 'now', lines, ...reduced }),
      )
    : null
  let position = 0
  const stored = planned.map(({ period, usage, line }): BilledUsage => {
    const written = line === null ? null : (invoice?.lines[position++] ?? null)
    const settlesAt = settlingTimeOf(period.endAt)
    const isSettled = settlesAt <= tx.now
    return {
      id: period.id,
      status: isSettled ? 'settled' : 'closed',
      dueAt: isSettled ? null : settlesAt,
      invoiceLineId: period.invoiceLineId ?? written?.id ?? null,
      ...usage,
    }
  })
  await storeBilledUsage(tx, subscription.id, stored)
}

async function isDeleted(view: View, customerId: Id<'customer'>): Promise<boolean> {
  return (await findAnyCustomer(view, customerId)).deletedAt !== null
}

/** The invoice for the usage so far of the periods that a plan ends, if there is one. */
export async function previewUsage(
  tx: Tx,
  subscription: Subscription,
  plan: Plan,
): Promise<readonly InvoiceDraft[]> {
  const ends = usageChangesOf(subscription, plan).filter((change) => change.action === 'end')
  if (ends.length === 0) return []
  const periods = await unsettledPeriods(tx, subscription)
  const ended = periods.flatMap((period) => {
    const end = ends.find(({ item }) => item.id === period.itemId)
    if (period.status === 'open')
      return end === undefined ? [] : [{ ...period, endAt: end.endAt, discounts: end.discounts }]
    return period.status === 'ended' ? [period] : []
  })
  const billed = periods.filter(({ status }) => status === 'closed')
  const planned = await planUsageLines(tx, subscription, { ended, billed })
  const lines = planned.flatMap(({ line }) => line ?? [])
  if (!lines.some(({ amount }) => amount !== 0n)) return []
  const context = { at: tx.now, now: tx.now, ids: idFactoryOf(tx) }
  return [draftOf(subscription, context, { reason: 'usage', collect: 'now', lines })]
}

type PlannedUsage = {
  readonly period: UsagePeriod
  readonly usage: BillableUsage
  /** Null if the usage of a billed period has not changed. */
  readonly line: LineDraft | null
  /** The invoice whose usage the line credits. */
  readonly invoiceId: Id<'invoice'> | null
}

async function planUsageLines(
  view: View,
  subscription: Subscription,
  { ended, billed }: Periods,
): Promise<PlannedUsage[]> {
  const { currency, customerId } = subscription
  const [loaded] = await loadTaxRates(view, [{ customerId, items: [...ended, ...billed] }])
  const tax: TaxFacts = { ...noTax, ...loaded }
  const counted = await countUsage(view, ended)
  const lines = usageLines(
    currency,
    counted.map(({ period, usage }) => ({ period, quantity: usage.quantity })),
    tax,
  )
  const recounted = await recountUsage(view, subscription, billed)
  const corrections = correctionLines(currency, recounted, tax)
  return [
    ...counted.map((one, index) => ({ ...one, line: lines[index] ?? null, invoiceId: null })),
    ...recounted.map(({ period, usage, invoiceId }, index) => {
      const line = corrections[index] ?? null
      return { period, usage, line, invoiceId: line !== null && line.amount < 0n ? invoiceId : null }
    }),
  ]
}

/** The usage of billed periods, and how it was billed. */
async function recountUsage(view: View, { id }: Subscription, billed: readonly UsagePeriod[]) {
  const sourceIds = billed.flatMap(({ invoiceLineId }) => invoiceLineId ?? [])
  const sources = new Map((await findLines(view, sourceIds)).map((line) => [line.id, line]))
  const counted = await countUsage(view, billed)
  const isReduced = counted.some(({ period, usage }) => usage.quantity < (period.billedQuantity ?? 0))
  const keptOf = isReduced ? await keptOfUsage(view, id, sourceIds) : new Map<string, KeptOfUsage>()
  return counted.map(({ period, usage }) => {
    const line = period.invoiceLineId === null ? null : (sources.get(period.invoiceLineId) ?? null)
    const source = line === null ? null : (keptOf.get(line.id) ?? null)
    const kept = source === null ? 0n : atMost(source.kept, source.keptOfInvoice)
    return {
      period,
      usage,
      quantity: usage.quantity,
      billed: { quantity: period.billedQuantity ?? 0, line, kept },
      invoiceId: source?.invoiceId ?? null,
    }
  })
}

const atMost = (amount: bigint, limit: bigint) => (amount < limit ? amount : limit)

async function countUsage(view: View, periods: readonly UsagePeriod[]) {
  const counted: { readonly period: UsagePeriod; readonly usage: BillableUsage }[] = []
  for (const period of periods)
    counted.push({ period, usage: await usageOfPeriod(view, period.meterId, period) })
  return counted
}
