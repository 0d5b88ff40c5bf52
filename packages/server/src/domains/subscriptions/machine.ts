/**
 * Whether the clock of a subscription runs. A charge that fails changes nothing here; a policy does, by saying
 * that an activation expired or that collecting was given up.
 */
import type { Machine } from '../../kernel/machine.ts'
import type { ActivationPolicy, EndBehaviour, MissingMethod } from './subscription.ts'

export const statuses = ['trialing', 'active', 'paused', 'cancelled'] as const
export type Status = (typeof statuses)[number]

export const triggers = [
  ...(['pause', 'resume', 'cancel', 'update'] as const),
  ...(['trial_ended', 'paid', 'activation_expired', 'period_ended', 'dunning_exhausted'] as const),
] as const
export type Trigger = (typeof triggers)[number]

export type Effect =
  | 'stop_clock'
  | 'move_resumption'
  | 'go_on'
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
  readonly endBehaviour: EndBehaviour
  readonly missingPaymentMethod: MissingMethod
  /** What is left to live of: of a trial, of a period that was billed, or nothing. */
  readonly timeLeft: 'trial' | 'paid' | 'none'
  /** Whether it is paused because it was not paid, and still is not. */
  readonly owes: boolean
  /** Whether the payment that is waited for is for a resumption. */
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
const stillOwes = (facts: Facts) => facts.owes
const isResuming = (facts: Facts) => facts.isResuming
const pauseIsScheduled = (facts: Facts) => facts.hasScheduledPause
const policyPauses = (facts: Facts) => facts.finalAction === 'pause'
const policyCancels = (facts: Facts) => facts.finalAction === 'cancel'
const noMethodPausesTrial = (facts: Facts) => facts.hadTrial && noMethodPauses(facts)
const noMethodCancelsTrial = (facts: Facts) => facts.hadTrial && noMethodCancels(facts)

export const subscriptionMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'trialing',
  actions: ['pause', 'resume', 'cancel', 'update'],
  // biome-ignore format: the columns are the point.
  rows: [
    // Without a trial, the beginning is the end of one that had no length.
    { from: 'trialing',  on: 'trial_ended',        when: trialPauses,          to: 'paused',    effects: ['stop_clock']        },
    { from: 'trialing',  on: 'trial_ended',        when: trialCancels,         to: 'cancelled', effects: ['end']               },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodPausesTrial,  to: 'paused',    effects: ['stop_clock']        },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodCancelsTrial, to: 'cancelled', effects: ['end']               },
    { from: 'trialing',  on: 'trial_ended',        when: noMethodInvoices,     to: 'active',    effects: ['begin_period']      },
    { from: 'trialing',  on: 'trial_ended',        when: startsOnAttempt,      to: 'active',    effects: ['begin_period']      },
    { from: 'trialing',  on: 'trial_ended',                                    to: 'trialing',  effects: ['open_activation']   },
    { from: 'trialing',  on: 'paid',                                           to: 'active',    effects: ['finish_activation'] },
    // Nobody who is known is lost within a day: after a trial it waits for a resumption.
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
    { from: 'paused',    on: 'resume',             when: trialTimeLeft,        to: 'trialing',  effects: ['go_on']             },
    { from: 'paused',    on: 'resume',             when: stillOwes,            to: 'paused',    effects: ['collect_overdue']   },
    { from: 'paused',    on: 'resume',             when: paidTimeLeft,         to: 'active',    effects: ['go_on']             },
    { from: 'paused',    on: 'resume',                                         to: 'paused',    effects: ['open_activation']   },
    { from: 'paused',    on: 'paid',               when: isResuming,           to: 'active',    effects: ['finish_activation'] },
    // It was paused while its first payment was under way: what was paid for is kept for later.
    { from: 'paused',    on: 'paid',                                           to: 'paused',    effects: ['keep_period']       },
    { from: 'paused',    on: 'activation_expired',                             to: 'paused',    effects: ['void_invoice']      },
    { from: 'paused',    on: 'dunning_exhausted',  when: policyCancels,        to: 'cancelled', effects: ['end']               },
    { from: 'paused',    on: 'dunning_exhausted',                              to: 'paused',    effects: []                    },
    { from: 'paused',    on: 'update',                                         to: 'paused',    effects: ['change_items']      },
    { from: 'paused',    on: 'cancel',                                         to: 'cancelled', effects: ['end']               },
  ],
}
