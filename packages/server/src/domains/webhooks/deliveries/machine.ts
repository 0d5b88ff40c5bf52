/**
 * The delivery state machine. A resend or a recovery starts a new round of attempts; only `deleted` is final.
 */
import type { Machine } from '../../../kernel/machine.ts'
import type { DeliveryState } from './delivery.ts'

export type Trigger =
  | 'attempt_succeeded'
  | 'attempt_failed'
  | 'endpoint_disabled'
  | 'endpoint_enabled'
  | 'endpoint_deleted'
  | 'recover'
  | 'resend'
export type Effect = 'start_new_round' | 'schedule_retry' | 'emit_event'
export type Facts = { readonly triesLeft: boolean }

const triesLeft = (facts: Facts) => facts.triesLeft

export const deliveryMachine: Machine<DeliveryState, Trigger, Facts, Effect> = {
  object: 'delivery',
  initial: 'pending',
  actions: ['resend'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'pending',   on: 'attempt_succeeded',                  to: 'delivered', effects: []                  },
    { from: 'pending',   on: 'attempt_failed',    when: triesLeft, to: 'pending',   effects: ['schedule_retry']  },
    { from: 'pending',   on: 'attempt_failed',                     to: 'exhausted', effects: ['emit_event']      },
    { from: 'pending',   on: 'endpoint_disabled',                  to: 'held',      effects: []                  },
    { from: 'pending',   on: 'endpoint_deleted',                   to: 'deleted',   effects: []                  },
    // A resend is sent immediately, even if the delivery was waiting for its next attempt.
    { from: 'pending',   on: 'resend',                             to: 'pending',   effects: ['start_new_round'] },
    { from: 'held',      on: 'endpoint_enabled',                   to: 'pending',   effects: ['start_new_round'] },
    { from: 'held',      on: 'endpoint_deleted',                   to: 'deleted',   effects: []                  },
    { from: 'held',      on: 'resend',                             to: 'pending',   effects: ['start_new_round'] },
    { from: 'held',      on: 'recover',                            to: 'pending',   effects: ['start_new_round'] },
    // A test event is created as `held`. Only the test request sends it, in a single attempt without an
    // event.
    { from: 'held',      on: 'attempt_succeeded',                  to: 'delivered', effects: []                  },
    { from: 'held',      on: 'attempt_failed',                     to: 'exhausted', effects: []                  },
    { from: 'exhausted', on: 'resend',                             to: 'pending',   effects: ['start_new_round'] },
    { from: 'exhausted', on: 'recover',                            to: 'pending',   effects: ['start_new_round'] },
    { from: 'delivered', on: 'resend',                             to: 'pending',   effects: ['start_new_round'] },
    { from: 'delivered', on: 'recover',                            to: 'pending',   effects: ['start_new_round'] },
  ],
}
