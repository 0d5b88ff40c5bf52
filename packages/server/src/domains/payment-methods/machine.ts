/** The life of a payment method: verified, then a customer's, then gone for good. */
import type { Id } from '../../kernel/id.ts'
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['authorized', 'attached', 'detached'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'attach' | 'detach' | 'update' | 'week_passed' | 'customer_deleted'
export type Effect = 'join_customer' | 'destroy_card' | 'set'
export type Facts = { readonly asked: Id<'customer'> | null; readonly owner: Id<'customer'> | null }

const sameCustomer = ({ asked, owner }: Facts) => asked === owner

export const paymentMethodMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'authorized',
  actions: ['attach', 'detach', 'update'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'authorized', on: 'attach',                               to: 'attached',   effects: ['join_customer'] },
    { from: 'authorized', on: 'detach',                               to: 'detached',   effects: ['destroy_card']  },
    { from: 'authorized', on: 'week_passed',                          to: 'detached',   effects: ['destroy_card']  },
    { from: 'authorized', on: 'update',                               to: 'authorized', effects: ['set']           },
    { from: 'attached',   on: 'detach',                               to: 'detached',   effects: ['destroy_card']  },
    { from: 'attached',   on: 'customer_deleted',                     to: 'detached',   effects: ['destroy_card']  },
    { from: 'attached',   on: 'update',                               to: 'attached',   effects: ['set']           },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'attached',   on: 'attach',           when: sameCustomer, to: 'attached',   effects: []                },
    { from: 'detached',   on: 'detach',                               to: 'detached',   effects: []                },
  ],
}
