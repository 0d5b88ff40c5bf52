/** The facts on which the conditions of the state machine depend. */
import type { Facts } from '../machine.ts'
import { isInTrial, type Subscription } from '../subscription.ts'
import type { Snapshot } from './snapshot.ts'

export function factsOf(
  { subscription, money }: Snapshot,
  finalAction: Facts['finalAction'] = 'keep',
): Facts {
  const { trial, pause, activation } = subscription
  return {
    hasPaymentMethod: subscription.paymentMethodId !== null,
    activationPolicy: subscription.activationPolicy,
    hadTrial: trial !== null,
    endBehaviour: trial?.endBehaviour ?? 'activate',
    missingPaymentMethod: trial?.missingPaymentMethod ?? 'pause',
    timeLeft: timeLeft(subscription),
    isOverdue: pause?.reason === 'payment_failure' && money.overdue.length > 0,
    isResuming: activation?.purpose === 'resume',
    hasScheduledPause: subscription.scheduledChange?.action === 'pause',
    finalAction,
  }
}

function timeLeft(subscription: Subscription): Facts['timeLeft'] {
  const { pause, currentPeriod } = subscription
  if (pause === null || pause.remainingSeconds === 0) return 'none'
  if (isInTrial(subscription)) return 'trial'
  return currentPeriod === null ? 'none' : 'paid'
}
