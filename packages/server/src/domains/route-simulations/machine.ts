/** What may be done with a dry run of a route, and when. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['running', 'completed', 'cancelled'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'cancel' | 'end_reached'
export type Facts = Record<never, never>

export const routeSimulationMachine: Machine<Status, Trigger, Facts, never> = {
  initial: 'running',
  actions: ['cancel'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'running',   on: 'end_reached', to: 'completed', effects: [] },
    { from: 'running',   on: 'cancel',      to: 'cancelled', effects: [] },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'cancelled', on: 'cancel',      to: 'cancelled', effects: [] },
  ],
}
