/** What may be done with an account of a provider, and when. Holds come and go beside it. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['active', 'disabled', 'archived'] as const
export type Status = (typeof statuses)[number]
export type Trigger =
  | 'disable'
  | 'enable'
  | 'archive'
  | 'update'
  | 'check'
  | 'hold'
  | 'release'
  | 'rotate_secret'
export type Effect = 'end_hold' | 'set' | 'note_check' | 'hold' | 'renew_secret'
export type Facts = {
  readonly hasOpenOperation: boolean
  /** Whether a published route sends payments to it. */
  readonly isRouted: boolean
}

/** Of an account that nobody needs, and for triggers that do not ask. */
export const unneeded: Facts = { hasOpenOperation: false, isRouted: false }
const notNeeded = ({ hasOpenOperation, isRouted }: Facts) => !hasOpenOperation && !isRouted

export const providerAccountMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'active',
  actions: ['disable', 'enable', 'archive', 'update', 'check', 'hold', 'release', 'rotate_secret'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'active',   on: 'disable',                        to: 'disabled', effects: []               },
    { from: 'disabled', on: 'enable',                         to: 'active',   effects: []               },
    { from: 'active',   on: 'archive',       when: notNeeded, to: 'archived', effects: ['end_hold']     },
    { from: 'disabled', on: 'archive',       when: notNeeded, to: 'archived', effects: ['end_hold']     },
    { from: 'active',   on: 'update',                         to: 'active',   effects: ['set']          },
    { from: 'disabled', on: 'update',                         to: 'disabled', effects: ['set']          },
    { from: 'active',   on: 'check',                          to: 'active',   effects: ['note_check']   },
    { from: 'disabled', on: 'check',                          to: 'disabled', effects: ['note_check']   },
    { from: 'active',   on: 'hold',                           to: 'active',   effects: ['hold']         },
    { from: 'disabled', on: 'hold',                           to: 'disabled', effects: ['hold']         },
    { from: 'active',   on: 'release',                        to: 'active',   effects: ['end_hold']     },
    { from: 'disabled', on: 'release',                        to: 'disabled', effects: ['end_hold']     },
    { from: 'active',   on: 'rotate_secret',                  to: 'active',   effects: ['renew_secret'] },
    { from: 'disabled', on: 'rotate_secret',                  to: 'disabled', effects: ['renew_secret'] },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'disabled', on: 'disable',                        to: 'disabled', effects: []               },
    { from: 'active',   on: 'enable',                         to: 'active',   effects: []               },
    { from: 'archived', on: 'archive',                        to: 'archived', effects: []               },
  ],
}
