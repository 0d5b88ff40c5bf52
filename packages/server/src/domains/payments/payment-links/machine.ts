/** The payment link state machine. Whether a link can be paid also depends on its remaining completions. */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['active', 'inactive', 'completed', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'deactivate' | 'activate' | 'last_completion' | 'expiry_reached'
export type Facts = {
  /** The link has expired. */
  readonly hasExpired: boolean
  /** `max_completions` is reached. */
  readonly isAtLimit: boolean
}

const canBePaid = ({ hasExpired, isAtLimit }: Facts) => !hasExpired && !isAtLimit

export const paymentLinkMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'payment link',
  initial: 'active',
  actions: ['deactivate', 'activate'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'active',    on: 'deactivate',                       to: 'inactive',  effects: [] },
    { from: 'active',    on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'active',    on: 'expiry_reached',                   to: 'expired',   effects: [] },
    // A payment was in progress when the link was deactivated or expired.
    { from: 'inactive',  on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'expired',   on: 'last_completion',                  to: 'completed', effects: [] },
    { from: 'inactive',  on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    // Possible after `expires_at` was extended or `max_completions` was raised.
    { from: 'expired',   on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    { from: 'completed', on: 'activate',        when: canBePaid, to: 'active',    effects: [] },
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'active',    on: 'activate',                         to: 'active',    effects: [] },
    { from: 'inactive',  on: 'deactivate',                       to: 'inactive',  effects: [] },
  ],
}
