/** The life of a checkout session. While a payment is under way it waits for it, whatever the clock says. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['open', 'processing', 'completed', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'confirm' | 'paid' | 'failed' | 'time_over' | 'expire'
export type Facts = {
  /** After this one failed, another may be tried. */
  readonly hasTriesLeft: boolean
  readonly isOver: boolean
}

const mayTryAgain = ({ hasTriesLeft, isOver }: Facts) => hasTriesLeft && !isOver

export const checkoutSessionMachine: Machine<Status, Trigger, Facts, never> = {
  initial: 'open',
  actions: ['confirm', 'expire'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'open',       on: 'confirm',                      to: 'processing', effects: [] },
    { from: 'open',       on: 'time_over',                    to: 'expired',    effects: [] },
    { from: 'open',       on: 'expire',                       to: 'expired',    effects: [] },
    { from: 'processing', on: 'paid',                         to: 'completed',  effects: [] },
    { from: 'processing', on: 'failed',    when: mayTryAgain, to: 'open',       effects: [] },
    { from: 'processing', on: 'failed',                       to: 'expired',    effects: [] },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'expired',    on: 'expire',                       to: 'expired',    effects: [] },
  ],
}
