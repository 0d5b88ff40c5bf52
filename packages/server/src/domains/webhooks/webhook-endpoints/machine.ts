/**
 * The webhook endpoint state machine. Events are sent while an endpoint is enabled, and held while it is
 * disabled.
 */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['enabled', 'disabled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'enable' | 'disable' | 'fail' | 'gone'
export type Effect = 'hold_pending' | 'close_breaker' | 'release_held'
export type Facts = { readonly recover: 'held' | 'none' }

const releasesHeldDeliveries = ({ recover }: Facts) => recover === 'held'

export const webhookEndpointMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'webhook endpoint',
  initial: 'enabled',
  actions: ['enable', 'disable'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'enabled',  on: 'disable',                               to: 'disabled', effects: ['hold_pending']                  },
    { from: 'enabled',  on: 'fail',                                  to: 'disabled', effects: ['hold_pending']                  },
    { from: 'enabled',  on: 'gone',                                  to: 'disabled', effects: ['hold_pending']                  },
    { from: 'disabled', on: 'enable',  when: releasesHeldDeliveries, to: 'enabled',  effects: ['close_breaker', 'release_held'] },
    { from: 'disabled', on: 'enable',                                to: 'enabled',  effects: ['close_breaker']                 },
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'enabled',  on: 'enable',                                to: 'enabled',  effects: []                                },
    { from: 'disabled', on: 'disable',                               to: 'disabled', effects: []                                },
    // Attempts may end after the endpoint was disabled: the first reason is kept.
    { from: 'disabled', on: 'fail',                                  to: 'disabled', effects: []                                },
    { from: 'disabled', on: 'gone',                                  to: 'disabled', effects: []                                },
  ],
}

export const reasons = ['requested', 'failing', 'gone'] as const
export type Reason = (typeof reasons)[number]

/** The value of `disabled.reason` for each trigger. */
export const reasonByTrigger: { readonly [T in Exclude<Trigger, 'enable'>]: Reason } = {
  disable: 'requested',
  fail: 'failing',
  gone: 'gone',
}
