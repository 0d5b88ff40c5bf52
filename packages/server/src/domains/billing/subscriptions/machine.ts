/**
 * The subscription state machine. The status shows whether periods are billed, not whether they are paid: a failed
 * charge alone causes no transition. When an activation expires or dunning is exhausted, the settings of the trial
 * or the dunning policy determine the transition.
 */
import type { Machine } from '../../../kernel/machine.ts'
import type { ActivationPolicy, MissingMethodBehaviour, TrialEndBehaviour } from './subscription.ts'

export const statuses = ['trialing', 'active', 'paused', 'cancelled'] as const
export type Status = (typeof statuses)[number]

export const triggers = [
  'pause',
  'resume',
  'cancel',
  'update',
  'trial_ended',
  'paid',
  'activation_expired',
  'period_ended',
  'dunning_exhausted',
] as const
export type Trigger = (typeof triggers)[number]

export type Effect =
  | 'stop_clock'
  | 'move_resumption'
  | 'continue_period'
  | 'drop_scheduled_pause'
  | 'open_activation'
  | 'finish_activation'
  | 'void_invoice'
  | 'begin_period'
  | 'collect_overdue'
  | 'keep_period'
  | 'change_items'
  | 'end'

export type Facts = {
  readonly hasPaymentMethod: boolean
  readonly activationPolicy: ActivationPolicy
  readonly hadTrial: boolean
  readonly endBehaviour: TrialEndBehaviour
  readonly missingPaymentMethod: MissingMethodBehaviour
  /** Which kind of time is left: trial time, time of a billed period, or none. */
  readonly timeLeft: 'trial' | 'paid' | 'none'
  /** Whether the subscription was paused for non-payment and an invoice is still overdue. */
  readonly isOverdue: boolean
  /** Whether the awaited payment is for a resumption. */
  readonly isResuming: boolean
  readonly hasScheduledPause: boolean
  readonly finalAction: 'pause' | 'cancel' | 'keep'
}

const trialPauses = (facts: Facts) => facts.endBehaviour === 'pause'
const trialCancels = (facts: Facts) => facts.endBehaviour === 'cancel'
const noMethodPauses = (facts: Facts) => !facts.hasPaymentMethod && facts.missingPaymentMethod === 'pause'
const noMethodCancels = (facts: Facts) => !facts.hasPaymentMethod && facts.missingPaymentMethod === 'cancel'
const noMethodInvoices = (facts: Facts) => !facts.hasPaymentMethod && facts.hadTrial
const startsOnAttempt = (facts: Facts) => facts.activationPolicy === 'on_attempt'
const hadTrial = (facts: Facts) => facts.hadTrial
const trialTimeLeft = (facts: Facts) => facts.timeLeft === 'trial'
const paidTimeLeft = (facts: Facts) => facts.timeLeft === 'paid'
const stillOverdue = (facts: Facts) => facts.isOverdue
const isResuming = (facts: Facts) => facts.isResuming
const pauseIsScheduled = (facts: Facts) => facts.hasScheduledPause
const policyPauses = (facts: Facts) => facts.finalAction === 'pause'
const policyCancels = (facts: Facts) => facts.finalAction === 'cancel'
const noMethodPausesTrial = (facts: Facts) => facts.hadTrial && noMethodPauses(facts)
const noMethodCancelsTrial = (facts: Facts) => facts.hadTrial && noMethodCancels(facts)

export const subscriptionMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'subscription',
  initial: 'trialing',
  actions: ['pause', 'resume', 'cancel', 'update'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    // A subscription without a trial starts as if a trial of zero length had ended.
    { from: 'trialing',  on: 'trial_ended',        when: trialPauses,          to: 'paused',    effects: ['stop_clock']        },
    { from: 'trialing',  on: 'trial_ended',        when: trialCancels,         to: 'cancelled', effects: ['end']               },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodPausesTrial,  to: 'paused',    effects: ['stop_clock']        },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodCancelsTrial, to: 'cancelled', effects: ['end']               },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodInvoices,     to: 'active',    effects: ['begin_period']      },
    { from: 'trialing',  on: 'trial_ended',        when: startsOnAttempt,      to: 'active',    effects: ['begin_period']      },
    { from: 'trialing',  on: 'trial_ended',                                    to: 'trialing',  effects: ['open_activation']   },
    { from: 'trialing',  on: 'paid',                                           to: 'active',    effects: ['finish_activation'] },
    // After a trial, an expired activation pauses the subscription instead of cancelling it, so that it can
    // be resumed.
    { from: 'trialing',  on: 'activation_expired', when: hadTrial,             to: 'paused',    effects: ['void_invoice', 'stop_clock'] },
    { from: 'trialing',  on: 'activation_expired',                             to: 'cancelled', effects: ['void_invoice', 'end'] },
    { from: 'trialing',  on: 'pause',                                          to: 'paused',    effects: ['stop_clock']        },
    { from: 'trialing',  on: 'resume',             when: pauseIsScheduled,     to: 'trialing',  effects: ['drop_scheduled_pause'] },
    { from: 'trialing',  on: 'resume',                                         to: 'trialing',  effects: []                    },
    { from: 'trialing',  on: 'update',                                         to: 'trialing',  effects: ['change_items']      },
    { from: 'trialing',  on: 'cancel',                                         to: 'cancelled', effects: ['end']               },
    { from: 'active',    on: 'period_ended',                                   to: 'active',    effects: ['begin_period']      },
    { from: 'active',    on: 'dunning_exhausted',  when: policyPauses,         to: 'paused',    effects: ['stop_clock']        },
    { from: 'active',    on: 'dunning_exhausted',  when: policyCancels,        to: 'cancelled', effects: ['end']               },
    { from: 'active',    on: 'dunning_exhausted',                              to: 'active',    effects: []                    },
    { from: 'active',    on: 'pause',                                          to: 'paused',    effects: ['stop_clock']        },
    { from: 'active',    on: 'resume',             when: pauseIsScheduled,     to: 'active',    effects: ['drop_scheduled_pause'] },
    { from: 'active',    on: 'resume',                                         to: 'active',    effects: []                    },
    { from: 'active',    on: 'update',                                         to: 'active',    effects: ['change_items']      },
    { from: 'active',    on: 'cancel',                                         to: 'cancelled', effects: ['end']               },
    { from: 'paused',    on: 'pause',                                          to: 'paused',    effects: ['move_resumption']   },
    { from: 'paused',    on: 'resume',             when: trialTimeLeft,        to: 'trialing',  effects: ['continue_period']   },
    { from: 'paused',    on: 'resume',             when: stillOverdue,         to: 'paused',    effects: ['collect_overdue']   },
    { from: 'paused',    on: 'resume',             when: paidTimeLeft,         to: 'active',    effects: ['continue_period']   },
    { from: 'paused',    on: 'resume',                                         to: 'paused',    effects: ['open_activation']   },
    { from: 'paused',    on: 'paid',               when: isResuming,           to: 'active',    effects: ['finish_activation'] },
    // The subscription was paused while its first payment was in progress: the paid period is kept for later.
    { from: 'paused',    on: 'paid',                                           to: 'paused',    effects: ['keep_period']       },
    { from: 'paused',    on: 'activation_expired',                             to: 'paused',    effects: ['void_invoice']      },
    { from: 'paused',    on: 'dunning_exhausted',  when: policyCancels,        to: 'cancelled', effects: ['end']               },
    { from: 'paused',    on: 'dunning_exhausted',                              to: 'paused',    effects: []                    },
    { from: 'paused',    on: 'update',                                         to: 'paused',    effects: ['change_items']      },
    { from: 'paused',    on: 'cancel',                                         to: 'cancelled', effects: ['end']               },
  ],
}
