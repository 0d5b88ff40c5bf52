/** When events are sent to an endpoint, and when they are held for it. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['enabled', 'disabled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'enable' | 'disable' | 'fail' | 'gone'
export type Effect = 'hold_pending' | 'close_breaker' | 'release_held'
export type Facts = { readonly recover: 'held' | 'none' }

const wantsWhatWasHeld = ({ recover }: Facts) => recover === 'held'

export const webhookEndpointMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'enabled',
  actions: ['enable', 'disable'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'enabled',  on: 'disable',                         to: 'disabled', effects: ['hold_pending']                  },
    { from: 'enabled',  on: 'fail',                            to: 'disabled', effects: ['hold_pending']                  },
    { from: 'enabled',  on: 'gone',                            to: 'disabled', effects: ['hold_pending']                  },
    { from: 'disabled', on: 'enable', when: wantsWhatWasHeld,  to: 'enabled',  effects: ['close_breaker', 'release_held'] },
    { from: 'disabled', on: 'enable',                          to: 'enabled',  effects: ['close_breaker']                 },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'enabled',  on: 'enable',                          to: 'enabled',  effects: []                                },
    { from: 'disabled', on: 'disable',                         to: 'disabled', effects: []                                },
    // The last attempts of an endpoint may end after it was disabled: the first reason stays.
    { from: 'disabled', on: 'fail',                            to: 'disabled', effects: []                                },
    { from: 'disabled', on: 'gone',                            to: 'disabled', effects: []                                },
  ],
}

export const reasons = ['requested', 'failing', 'gone'] as const
export type Reason = (typeof reasons)[number]

/** What is told of the trigger that disabled it. */
export const reasonOf: { readonly [T in Exclude<Trigger, 'enable'>]: Reason } = {
  disable: 'requested',
  fail: 'failing',
  gone: 'gone',
}
