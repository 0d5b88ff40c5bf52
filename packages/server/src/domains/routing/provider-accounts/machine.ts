/** The provider account state machine. Holds are independent of it. */
import type { Machine } from '../../../kernel/machine.ts'

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
  /** Whether a published route uses the account. */
  readonly isUsedByRoute: boolean
}

/**
 * The facts of an account that is not in use. Triggers that are also allowed while an account is in use do
 * not depend on the facts.
 */
export const factsNotInUse: Facts = { hasOpenOperation: false, isUsedByRoute: false }
const notInUse = ({ hasOpenOperation, isUsedByRoute }: Facts) => !hasOpenOperation && !isUsedByRoute

export const providerAccountMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'provider account',
  initial: 'active',
  actions: ['disable', 'enable', 'archive', 'update', 'check', 'hold', 'release', 'rotate_secret'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'active',   on: 'disable',                        to: 'disabled', effects: []               },
    { from: 'disabled', on: 'enable',                         to: 'active',   effects: []               },
    { from: 'active',   on: 'archive',       when: notInUse,  to: 'archived', effects: ['end_hold']     },
    { from: 'disabled', on: 'archive',       when: notInUse,  to: 'archived', effects: ['end_hold']     },
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
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'disabled', on: 'disable',                        to: 'disabled', effects: []               },
    { from: 'active',   on: 'enable',                         to: 'active',   effects: []               },
    { from: 'archived', on: 'archive',                        to: 'archived', effects: []               },
  ],
}
