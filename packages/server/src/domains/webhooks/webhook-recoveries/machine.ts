import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['running', 'completed', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'cancel' | 'end_reached' | 'endpoint_closed'
export type Facts = Record<never, never>

export const webhookRecoveryMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'webhook recovery',
  initial: 'running',
  actions: ['cancel'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'running',   on: 'end_reached',     to: 'completed', effects: [] },
    { from: 'running',   on: 'cancel',          to: 'cancelled', effects: [] },
    // The endpoint was disabled or deleted, so released deliveries could not be sent.
    { from: 'running',   on: 'endpoint_closed', to: 'cancelled', effects: [] },
    // Cancelling a cancelled recovery succeeds without a change, so that clients can retry.
    { from: 'cancelled', on: 'cancel',          to: 'cancelled', effects: [] },
  ],
}
