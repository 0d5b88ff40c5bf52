/** The checkout session state machine. While a payment is in progress the session does not expire. */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['open', 'processing', 'completed', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'confirm' | 'paid' | 'submitted' | 'failed' | 'expiry_reached' | 'expire'
export type Facts = {
  /** The payer may try another payment. */
  readonly hasTriesLeft: boolean
  readonly hasExpired: boolean
}

const mayTryAgain = ({ hasTriesLeft, hasExpired }: Facts) => hasTriesLeft && !hasExpired

export const checkoutSessionMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'checkout session',
  initial: 'open',
  actions: ['confirm', 'expire'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'open',       on: 'confirm',                      to: 'processing', effects: [] },
    { from: 'open',       on: 'expiry_reached',               to: 'expired',    effects: [] },
    { from: 'open',       on: 'expire',                       to: 'expired',    effects: [] },
    { from: 'processing', on: 'paid',                         to: 'completed',  effects: [] },
    // The bank confirms a debit days later.
    { from: 'processing', on: 'submitted',                    to: 'completed',  effects: [] },
    { from: 'processing', on: 'failed',    when: mayTryAgain, to: 'open',       effects: [] },
    { from: 'processing', on: 'failed',                       to: 'expired',    effects: [] },
    // Expiring an expired session succeeds without a change, so that clients can retry.
    { from: 'expired',    on: 'expire',                       to: 'expired',    effects: [] },
  ],
}
