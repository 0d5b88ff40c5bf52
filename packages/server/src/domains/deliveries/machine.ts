/** The states of a delivery. A resend or a recovery begins a new round; nothing but the end of its endpoint is for ever. */
import type { Machine } from '../../kernel/machine.ts'
import type { DeliveryState } from './delivery.ts'

export type Trigger =
  | 'attempt_succeeded'
  | 'attempt_failed'
  | 'endpoint_disabled'
  | 'endpoint_enabled'
  | 'endpoint_deleted'
  | 'recover'
  | 'resend'
export type Effect = 'begin_anew' | 'wait_longer' | 'tell'
export type Facts = { readonly triesLeft: boolean }

const triesLeft = (facts: Facts) => facts.triesLeft

export const deliveryMachine: Machine<DeliveryState, Trigger, Facts, Effect> = {
  initial: 'pending',
  actions: ['resend'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'pending',   on: 'attempt_succeeded',                  to: 'delivered', effects: []              },
    { from: 'pending',   on: 'attempt_failed',    when: triesLeft, to: 'pending',   effects: ['wait_longer'] },
    { from: 'pending',   on: 'attempt_failed',                     to: 'exhausted', effects: ['tell']        },
    { from: 'pending',   on: 'endpoint_disabled',                  to: 'held',      effects: []              },
    { from: 'pending',   on: 'endpoint_deleted',                   to: 'deleted',   effects: []              },
    // It goes out at once, whatever it was waiting for.
    { from: 'pending',   on: 'resend',                             to: 'pending',   effects: ['begin_anew']  },
    { from: 'held',      on: 'endpoint_enabled',                   to: 'pending',   effects: ['begin_anew']  },
    { from: 'held',      on: 'endpoint_deleted',                   to: 'deleted',   effects: []              },
    { from: 'held',      on: 'resend',                             to: 'pending',   effects: ['begin_anew']  },
    { from: 'held',      on: 'recover',                            to: 'pending',   effects: ['begin_anew']  },
    // A trial is held back from everyone but the request that makes its one attempt, and is told to nobody.
    { from: 'held',      on: 'attempt_succeeded',                  to: 'delivered', effects: []              },
    { from: 'held',      on: 'attempt_failed',                     to: 'exhausted', effects: []              },
    { from: 'exhausted', on: 'resend',                             to: 'pending',   effects: ['begin_anew']  },
    { from: 'exhausted', on: 'recover',                            to: 'pending',   effects: ['begin_anew']  },
    { from: 'delivered', on: 'resend',                             to: 'pending',   effects: ['begin_anew']  },
    { from: 'delivered', on: 'recover',                            to: 'pending',   effects: ['begin_anew']  },
  ],
}
