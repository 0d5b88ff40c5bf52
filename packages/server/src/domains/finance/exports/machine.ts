import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['running', 'completed', 'failed', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'cancel' | 'end_reached' | 'too_large'
export type Facts = Record<never, never>

export const exportMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'export',
  initial: 'running',
  actions: ['cancel'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'running',   on: 'end_reached', to: 'completed', effects: [] },
    { from: 'running',   on: 'too_large',   to: 'failed',    effects: [] },
    { from: 'running',   on: 'cancel',      to: 'cancelled', effects: [] },
    // Cancelling a cancelled export succeeds without a change, so that clients can retry.
    { from: 'cancelled', on: 'cancel',      to: 'cancelled', effects: [] },
  ],
}
