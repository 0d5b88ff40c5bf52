/** The payment route state machine. Revisions are separate, and are never removed. */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['active', 'archived'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'update' | 'publish' | 'archive' | 'delete'
export type Effect = 'add_revision' | 'set_revision' | 'remove'
export type Facts = {
  readonly isDefault: boolean
  /** Whether payments may have used it. */
  readonly wasPublished: boolean
}

const notTheDefault = ({ isDefault }: Facts) => !isDefault
const neverPublished = ({ wasPublished }: Facts) => !wasPublished

export const paymentRouteMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'payment route',
  initial: 'active',
  actions: ['update', 'publish', 'archive', 'delete'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'active',   on: 'update',                        to: 'active',   effects: ['add_revision'] },
    { from: 'active',   on: 'publish',                       to: 'active',   effects: ['set_revision'] },
    { from: 'active',   on: 'archive', when: notTheDefault,  to: 'archived', effects: []               },
    { from: 'active',   on: 'delete',  when: neverPublished, to: 'active',   effects: ['remove']       },
    { from: 'archived', on: 'delete',  when: neverPublished, to: 'archived', effects: ['remove']       },
    // Archiving an archived route succeeds without a change, so that clients can retry.
    { from: 'archived', on: 'archive',                       to: 'archived', effects: []               },
  ],
}
