import type { Machine } from '../../../kernel/machine.ts'
import type { Status } from './dunning-campaign.ts'

export type Trigger = 'retry' | 'stop' | 'paid' | 'written_off' | 'retries_exhausted'
export type Effect = 'retry_now' | 'final_action'
export type Facts = Record<never, never>

export const dunningCampaignMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'dunning campaign',
  initial: 'running',
  actions: ['retry', 'stop'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'running',   on: 'retry',             to: 'running',   effects: ['retry_now']    },
    { from: 'running',   on: 'paid',              to: 'recovered', effects: []               },
    // Void or uncollectible: there is nothing left to collect.
    { from: 'running',   on: 'written_off',       to: 'stopped',   effects: []               },
    { from: 'running',   on: 'stop',              to: 'stopped',   effects: []               },
    { from: 'running',   on: 'retries_exhausted', to: 'exhausted', effects: ['final_action'] },
    // Stopping a stopped campaign succeeds without a change, so that clients can retry.
    { from: 'stopped',   on: 'stop',              to: 'stopped',   effects: []               },
  ],
}
