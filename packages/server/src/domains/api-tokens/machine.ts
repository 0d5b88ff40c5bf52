import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['active', 'revoked', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'roll' | 'revoke' | 'end_reached'
export type Effect = 'add_text' | 'forget_texts'
export type Facts = Record<never, never>

export const apiTokenMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'active',
  actions: ['roll', 'revoke'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'active',  on: 'roll',        to: 'active',  effects: ['add_text']     },
    { from: 'active',  on: 'revoke',      to: 'revoked', effects: ['forget_texts'] },
    { from: 'active',  on: 'end_reached', to: 'expired', effects: []               },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'revoked', on: 'revoke',      to: 'revoked', effects: []               },
  ],
}
