import type { Machine } from '../../kernel/machine.ts'
import type { Status } from './test-clock.ts'

export type Trigger = 'advance' | 'arrive' | 'stumble'
export type Facts = Record<never, never>

export const testClockMachine: Machine<Status, Trigger, Facts, never> = {
  initial: 'ready',
  actions: ['advance'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'ready',     on: 'advance', to: 'advancing', effects: [] },
    // What stood in its way may be gone by now.
    { from: 'failed',    on: 'advance', to: 'advancing', effects: [] },
    { from: 'advancing', on: 'arrive',  to: 'ready',     effects: [] },
    { from: 'advancing', on: 'stumble', to: 'failed',    effects: [] },
  ],
}
