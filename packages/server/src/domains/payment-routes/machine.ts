/** What may be done with a payment route, and when. Revisions come beside it, and never go. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['active', 'archived'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'update' | 'publish' | 'archive' | 'delete'
export type Effect = 'add_revision' | 'set_revision' | 'remove'
export type Facts = {
  readonly isDefault: boolean
  /** Whether payments may have been made by it. */
  readonly wasPublished: boolean
}

const notTheDefault = ({ isDefault }: Facts) => !isDefault
const neverPublished = ({ wasPublished }: Facts) => !wasPublished

export const paymentRouteMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'active',
  actions: ['update', 'publish', 'archive', 'delete'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'active',   on: 'update',                        to: 'active',   effects: ['add_revision'] },
    { from: 'active',   on: 'publish',                       to: 'active',   effects: ['set_revision'] },
    { from: 'active',   on: 'archive', when: notTheDefault,  to: 'archived', effects: []               },
    { from: 'active',   on: 'delete',  when: neverPublished, to: 'active',   effects: ['remove']       },
    { from: 'archived', on: 'delete',  when: neverPublished, to: 'archived', effects: ['remove']       },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'archived', on: 'archive',                       to: 'archived', effects: []               },
  ],
}
