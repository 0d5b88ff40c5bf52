/** The life of a payment link. Whether somebody can pay is also a question of its places. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['active', 'inactive', 'completed', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'deactivate' | 'activate' | 'last_completion' | 'time_over'
export type Facts = {
  /** Its time is over. */
  readonly isOver: boolean
  /** As many have paid as there are places for. */
  readonly isFull: boolean
}

const canBePaid = ({ isOver, isFull }: Facts) => !isOver && !isFull

export const paymentLinkMachine: Machine<Status, Trigger, Facts, never> = {
  initial: 'active',
  actions: ['deactivate', 'activate'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'active',    on: 'deactivate',                       to: 'inactive',  effects: [] },
    { from: 'active',    on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'active',    on: 'time_over',                        to: 'expired',   effects: [] },
    // Somebody was paying when it was deactivated, or when its time was over.
    { from: 'inactive',  on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'expired',   on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'inactive',  on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    // After it got more time, or more places.
    { from: 'expired',   on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    { from: 'completed', on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'active',    on: 'activate',                         to: 'active',    effects: [] },
    { from: 'inactive',  on: 'deactivate',                       to: 'inactive',  effects: [] },
  ],
}
