import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['active', 'revoked', 'expired'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'roll' | 'revoke' | 'end_reached'
export type Effect = 'add_secret' | 'delete_secrets'
export type Facts = Record<never, never>

export const apiTokenMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'API token',
  initial: 'active',
  actions: ['roll', 'revoke'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'active',  on: 'roll',        to: 'active',  effects: ['add_secret']     },
    { from: 'active',  on: 'revoke',      to: 'revoked', effects: ['delete_secrets'] },
    { from: 'active',  on: 'end_reached', to: 'expired', effects: []                 },
    // Repeating a transition succeeds without a change, so that clients can retry.
    { from: 'revoked', on: 'revoke',      to: 'revoked', effects: []                 },
  ],
}
