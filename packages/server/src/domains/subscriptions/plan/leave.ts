/** Leaving a trial or a period before its end: what becomes of the rest. */
import { secondsBetween } from '../../../kernel/calendar.ts'
import { type LineDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import { isInTrial, type Subscription } from '../subscription.ts'
import { draftOf } from './period.ts'
import { isOwed, keptRest, type Rest, restOf, unusedLines } from './proration.ts'
import type { Moment, Plan, Release, Scene } from './scene.ts'

export type Leaving = Pick<Plan, 'invoices' | 'releases' | 'refund'> & { readonly keptSeconds: number }

type Wish = {
  readonly unusedTime: 'keep' | 'credit' | 'refund' | 'forfeit'
  /** Invoices that are forgiven: their time is not kept. */
  readonly voids: Plan['voids']
  readonly reason: 'change' | 'cancel'
}

const nothingLeft: Leaving = { invoices: [], releases: [], refund: null, keptSeconds: 0 }

export function leave(scene: Scene, moment: Moment, wish: Wish): Leaving {
  const { subscription, money } = scene
  if (isInTrial(subscription))
    return { ...nothingLeft, keptSeconds: trialRest(subscription, moment.at, wish) }
  const { currentPeriod } = subscription
  // Nothing was billed, or it is not known yet whether it was paid.
  if (currentPeriod === null || money.current === null) return nothingLeft
  const rest = periodRest(subscription, moment.at)
  const { invoiceId } = currentPeriod
  const release = (as: Release['as']) =>
    rest.seconds === 0 ? [] : [{ invoiceId, seconds: rest.seconds, as }]
  if (wish.unusedTime === 'keep' && isOwed(money) && !wish.voids.includes(invoiceId))
    return { ...nothingLeft, keptSeconds: rest.seconds, releases: release('kept') }

  const lines =
    wish.unusedTime === 'keep' || wish.unusedTime === 'forfeit' ? [] : backLines(scene, moment, rest)
  if (lines.length === 0) return { ...nothingLeft, releases: release('forfeited') }
  if (wish.unusedTime === 'refund')
    return { ...nothingLeft, refund: { invoiceId, amount: -totalOf(lines) }, releases: release('refunded') }
  const changeId = lines[0]?.explanation.changeId ?? null
  // Its value becomes credit, by an invoice that says how it came about.
  const invoice = draftOf(subscription, moment, { reason: wish.reason, lines, changeId, collect: 'never' })
  return { ...nothingLeft, invoices: [invoice], releases: release('credited') }
}

function trialRest({ trial, pause }: Subscription, at: Date, { unusedTime }: Wish): number {
  if (trial === null || unusedTime !== 'keep') return 0
  return pause?.remainingSeconds ?? Math.max(0, secondsBetween(at, trial.endAt))
}

/** What is left of its period, whether its clock runs or not. */
function periodRest({ currentPeriod, pause }: Subscription, at: Date): Rest {
  const period = currentPeriod as NonNullable<typeof currentPeriod>
  return pause === null ? restOf(period, at) : keptRest(period, pause.remainingSeconds, at)
}

function backLines({ subscription, money }: Scene, { draw }: Moment, rest: Rest): LineDraft[] {
  if (rest.seconds === 0) return []
  const { currency, items } = subscription
  return unusedLines({ currency, items, changeId: draw.change() }, rest, money.paidForPeriod)
}
