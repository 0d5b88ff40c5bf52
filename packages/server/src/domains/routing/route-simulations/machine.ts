/** The state machine of a route simulation. */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['running', 'completed', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'cancel' | 'end_reached'
export type Facts = Record<never, never>

export const routeSimulationMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'route simulation',
  initial: 'running',
  actions: ['cancel'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'running',   on: 'end_reached', to: 'completed', effects: [] },
    { from: 'running',   on: 'cancel',      to: 'cancelled', effects: [] },
    // Cancelling a cancelled simulation succeeds without a change, so that clients can retry.
    { from: 'cancelled', on: 'cancel',      to: 'cancelled', effects: [] },
  ],
}
