import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['running', 'uploading', 'completed', 'failed', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'cancel' | 'end_reached' | 'written' | 'uploaded' | 'too_large'
export type Facts = Record<never, never>

export const exportMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'export',
  initial: 'running',
  actions: ['cancel'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'running',   on: 'end_reached', to: 'completed', effects: [] },
    // The file of a daily export is uploaded to its destination.
    { from: 'running',   on: 'written',     to: 'uploading', effects: [] },
    { from: 'uploading', on: 'uploaded',    to: 'completed', effects: [] },
    { from: 'running',   on: 'too_large',   to: 'failed',    effects: [] },
    { from: 'running',   on: 'cancel',      to: 'cancelled', effects: [] },
    // The destination was deleted.
    { from: 'uploading', on: 'cancel',      to: 'cancelled', effects: [] },
    // Cancelling a cancelled export succeeds without a change, so that clients can retry.
    { from: 'cancelled', on: 'cancel',      to: 'cancelled', effects: [] },
  ],
}
