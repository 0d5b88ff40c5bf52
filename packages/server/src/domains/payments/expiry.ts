/** What happens to a payment by itself when a time has come. Pure. */
import { addSeconds } from '../../kernel/clock.ts'
import type { Payment } from './payment.ts'

/** How long a payer is waited for, whatever the provider allows. */
const actionSeconds = 30 * 60
/** Most of what is not known is known again before this. */
const quietSeconds = 10
/** How long a hold lasts, if the provider does not say. */
const holdSeconds = 7 * 24 * 60 * 60
/** So long before its end a hold is spoken of, if it lasts longer than that at all. */
const warnSeconds = 24 * 60 * 60
/** What could not be ended in time is tried again. */
const againSeconds = { requires_action: 5 * 60, requires_capture: 60 * 60 } as const

/** When the payer is no longer waited for. */
export function actionEndsAt(providersEnd: Date, now: Date): Date {
  return earliest([providersEnd, addSeconds(now, actionSeconds)]) as Date
}

/** Until when it has to be captured. */
export function holdEndsAt(providersEnd: Date | undefined, now: Date): Date {
  return providersEnd ?? addSeconds(now, holdSeconds)
}

/** Whether nobody needs to be told of the end of a hold: it is told of when it begins, being that short. */
export function isShortHold(endsAt: Date, now: Date): boolean {
  return addSeconds(endsAt, -warnSeconds) <= now
}

type Timed = Pick<
  Payment,
  'status' | 'unresolvedSinceAt' | 'unresolvedTold' | 'nextAction' | 'captureBeforeAt' | 'expiringTold'
>

/** When the payment has to be looked at next, as it is now. */
export function dueAtOf(payment: Timed, now: Date): Date | null {
  const untold = payment.unresolvedTold ? null : payment.unresolvedSinceAt
  return earliest([
    ...(untold === null ? [] : [addSeconds(untold, quietSeconds)]),
    ...warningsOf(payment),
    ...endsOf(payment).map(([at, waitSeconds]) => (at > now ? at : addSeconds(now, waitSeconds))),
  ])
}

function warningsOf({ status, captureBeforeAt, expiringTold }: Timed): Date[] {
  if (status !== 'requires_capture' || captureBeforeAt === null || expiringTold) return []
  return [addSeconds(captureBeforeAt, -warnSeconds)]
}

function endsOf({ status, nextAction, captureBeforeAt }: Timed): [Date, number][] {
  if (status === 'requires_action' && nextAction !== null)
    return [[new Date(nextAction.expires_at), againSeconds.requires_action]]
  if (status === 'requires_capture' && captureBeforeAt !== null)
    return [[captureBeforeAt, againSeconds.requires_capture]]
  return []
}

export type Ending = 'tell_unresolved' | 'tell_expiring' | 'end_action' | 'let_go' | null

/** What is to be done now, if anything is. */
export function endingOf(payment: Timed, now: Date): Ending {
  const untold = payment.unresolvedTold ? null : payment.unresolvedSinceAt
  if (untold !== null && addSeconds(untold, quietSeconds) <= now) return 'tell_unresolved'
  const [end] = endsOf(payment)
  if (end !== undefined && end[0] <= now)
    return payment.status === 'requires_action' ? 'end_action' : 'let_go'
  const [warnAt] = warningsOf(payment)
  return warnAt !== undefined && warnAt <= now ? 'tell_expiring' : null
}

function earliest(times: readonly Date[]): Date | null {
  return times.reduce<Date | null>((first, at) => (first === null || at < first ? at : first), null)
}
