/** Other items: what the rest of the period is worth at the old price comes back, and is charged at the new one. */
import type { Interval } from '../../../kernel/calendar.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { type LineDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import { smallestCharge } from '../../../kernel/money.ts'
import { type CurrentPeriod, isActivating, type Subscription, type UpdateWish } from '../subscription.ts'
import { cycleLines, draftOf, newPeriod } from './period.ts'
import { changeLines, isOwed, keptRest, type Rest, restOf } from './proration.ts'
import { type Moment, nothing, type Plan, type Scene, told } from './scene.ts'

export const prorationBehaviours = ['invoice_now', 'next_invoice', 'none', 'next_period'] as const
export type ProrationBehaviour = (typeof prorationBehaviours)[number]
export type Billing = Exclude<ProrationBehaviour, 'next_period'>

/** Changes items from `moment.at` on. `base` already has whatever else changes with them. */
export function changeItems(scene: Scene, moment: Moment, wish: UpdateWish, billing: Billing): Plan {
  const { subscription } = scene
  if (isActivating(subscription)) refuseWhileActivating(subscription)
  const { items, interval } = wish
  const changed: Subscription = { ...subscription, items, interval }
  const rest = restAt(subscription, moment.at)
  // Nothing was billed that could be changed: the next period is billed as it shall be.
  if (rest === null) return { ...nothing, ...told('updated', changed) }
  if (!isSameInterval(interval, subscription.interval))
    return changeInterval(scene, moment, changed, { rest, billing })
  const changeId = moment.draw.change()
  const change = { from: subscription.items, to: items }
  const terms = { currency: subscription.currency, changeId }
  const lines = billing === 'none' ? [] : changeLines(terms, change, rest, isOwed(scene.money))
  const after = { ...changed, accountedAt: moment.at }
  return { ...nothing, ...settled(scene, after, moment, { lines, changeId, billing }) }
}

export function isSameInterval(a: Interval, b: Interval): boolean {
  return a.unit === b.unit && a.count === b.count
}

/** The next period begins with other items, and perhaps another interval. Nothing of this one is touched. */
export function changeAtBoundary(scene: Scene, moment: Moment, { items, interval }: UpdateWish): Plan {
  const { subscription } = scene
  const changed = { ...subscription, items, interval, scheduledChange: null, accountedAt: moment.at }
  const isSame = isSameInterval(interval, subscription.interval)
  const { currentPeriod } = subscription
  const anchor =
    isSame || currentPeriod === null
      ? subscription.anchor
      : newPeriod(subscription, interval, currentPeriod.endAt).anchor
  return { ...nothing, ...told('updated', { ...changed, anchor }) }
}

function restAt({ currentPeriod, pause }: Subscription, at: Date): Rest | null {
  if (currentPeriod === null) return null
  return pause === null ? restOf(currentPeriod, at) : keptRest(currentPeriod, pause.remainingSeconds, at)
}

type Bill = {
  readonly lines: readonly LineDraft[]
  readonly changeId: Id<'subscription_change'>
  readonly billing: Billing
}

/** Too little to charge waits for the next invoice. What is left over becomes credit, or lowers what is owed. */
function settled(
  { money }: Scene,
  after: Subscription,
  moment: Moment,
  { lines, changeId, billing }: Bill,
): Pick<Plan, 'steps' | 'invoices' | 'pendingLines'> {
  const worth = lines.filter(({ amount }) => amount !== 0n)
  const net = totalOf(worth)
  if (worth.length === 0) return { ...told('updated', after), invoices: [], pendingLines: [] }
  if (billing === 'next_invoice' || (net >= 0n && net < smallestCharge(after.currency)))
    return { ...told('updated', after), invoices: [], pendingLines: worth }
  const { current } = money
  const isUnpaid = current !== null && (current.status === 'open' || current.status === 'draft')
  const invoice = draftOf(after, moment, {
    ...{ reason: 'change', collect: 'now', lines: worth, changeId },
    reducesInvoiceId: net < 0n && isUnpaid ? current.id : null,
  })
  const latest = { ...after, latestInvoiceId: invoice.id }
  return { ...told('updated', latest), invoices: [invoice], pendingLines: [] }
}

/** The clock begins anew: what is left of the old period comes back, and a whole new one is billed. */
function changeInterval(
  { subscription, money }: Scene,
  moment: Moment,
  changed: Subscription,
  { rest, billing }: { readonly rest: Rest; readonly billing: Billing },
): Plan {
  if (subscription.status !== 'active')
    refuse('invalid_state', {
      detail: 'While it is paused, its interval can only be changed for the next period.',
      ...{ current_status: subscription.status, allowed_actions: ['resume', 'cancel'] },
    })
  if (billing !== 'invoice_now')
    refuseMember(
      '/proration/behaviour',
      'not_in_list',
      'another interval is billed now, or from the next period',
    )
  const { at, draw } = moment
  const changeId = draw.change()
  const entered = newPeriod(subscription, changed.interval, at)
  const { epoch, index, startAt, endAt } = entered.period
  const back = changeLines(
    { currency: subscription.currency, changeId },
    { from: subscription.items, to: [] },
    rest,
    isOwed(money),
  )
  const invoice = draftOf(changed, moment, {
    ...{ reason: 'change', collect: 'now', changeId, period: { epoch, index, startAt, endAt } },
    lines: [...back.filter(({ amount }) => amount !== 0n), ...cycleLines(changed, entered), ...money.pending],
  })
  const after: Subscription = {
    ...{ ...changed, anchor: entered.anchor, accountedAt: at, latestInvoiceId: invoice.id },
    currentPeriod: { ...entered.period, invoiceId: invoice.id },
  }
  const before = subscription.currentPeriod as CurrentPeriod
  return {
    ...{ ...nothing, ...told('updated', after), invoices: [invoice], takesPending: money.pending.length > 0 },
    spans: [
      { is: 'cut', at },
      { is: 'added', kind: 'cycle', startAt: at, endAt, invoiceId: invoice.id },
    ],
    releases: [
      { invoiceId: before.invoiceId, seconds: rest.seconds, as: isOwed(money) ? 'credited' : 'forfeited' },
    ],
  }
}

function refuseWhileActivating({ status }: Subscription): never {
  return refuse('invalid_state', {
    detail: 'Its first payment is waited for: items can be changed when it is settled.',
    current_status: status,
    allowed_actions: ['pause', 'resume', 'cancel'],
  })
}
