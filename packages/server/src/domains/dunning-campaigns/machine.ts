import type { Machine } from '../../kernel/machine.ts'
import type { Status } from './dunning-campaign.ts'

export type Trigger = 'retry' | 'stop' | 'paid' | 'written_off' | 'run_out'
export type Effect = 'try_now' | 'final_action'
export type Facts = Record<never, never>

export const dunningCampaignMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'running',
  actions: ['retry', 'stop'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'running',   on: 'retry',       to: 'running',   effects: ['try_now']      },
    { from: 'running',   on: 'paid',        to: 'recovered', effects: []               },
    // Void or uncollectible: there is nothing to collect any more.
    { from: 'running',   on: 'written_off', to: 'stopped',   effects: []               },
    { from: 'running',   on: 'stop',        to: 'stopped',   effects: []               },
    { from: 'running',   on: 'run_out',     to: 'exhausted', effects: ['final_action'] },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'stopped',   on: 'stop',        to: 'stopped',   effects: []               },
  ],
}
