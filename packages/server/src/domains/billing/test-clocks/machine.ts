import type { Machine } from '../../../kernel/machine.ts'
import type { Status } from './test-clock.ts'

export type Trigger = 'advance' | 'reach_target' | 'fail'
export type Facts = Record<never, never>

export const testClockMachine: Machine<Status, Trigger, Facts, never> = {
  object: 'test clock',
  initial: 'ready',
  actions: ['advance'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'ready',     on: 'advance',      to: 'advancing', effects: [] },
    // The cause of the failure may be fixed by now.
    { from: 'failed',    on: 'advance',      to: 'advancing', effects: [] },
    { from: 'advancing', on: 'reach_target', to: 'ready',     effects: [] },
    { from: 'advancing', on: 'fail',         to: 'failed',    effects: [] },
  ],
}
