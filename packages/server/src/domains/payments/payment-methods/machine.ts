/** The payment method state machine. A detached payment method cannot be used again. */
import type { Id } from '../../../kernel/id.ts'
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['authorized', 'attached', 'detached'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'attach' | 'detach' | 'update' | 'week_passed' | 'customer_deleted'
export type Effect = 'join_customer' | 'destroy_card' | 'set'
export type Facts = {
  readonly requestedCustomerId: Id<'customer'> | null
  readonly owner: Id<'customer'> | null
}

const sameCustomer = ({ requestedCustomerId, owner }: Facts) => requestedCustomerId === owner

export const paymentMethodMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'payment method',
  initial: 'authorized',
  actions: ['attach', 'detach', 'update'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'authorized', on: 'attach',                               to: 'attached',   effects: ['join_customer'] },
    { from: 'authorized', on: 'detach',                               to: 'detached',   effects: ['destroy_card']  },
    { from: 'authorized', on: 'week_passed',                          to: 'detached',   effects: ['destroy_card']  },
    { from: 'authorized', on: 'update',                               to: 'authorized', effects: ['set']           },
    { from: 'attached',   on: 'detach',                               to: 'detached',   effects: ['destroy_card']  },
    { from: 'attached',   on: 'customer_deleted',                     to: 'detached',   effects: ['destroy_card']  },
    { from: 'attached',   on: 'update',                               to: 'attached',   effects: ['set']           },
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'attached',   on: 'attach',           when: sameCustomer, to: 'attached',   effects: []                },
    { from: 'detached',   on: 'detach',                               to: 'detached',   effects: []                },
  ],
}
