import { defineEvent } from '../../../platform/db/events.ts'
import type { DunningCampaign } from './dunning-campaign.ts'
import { DunningCampaignObject, present } from './schema.ts'

const define = (type: `dunning_campaign.${string}`, about: string, example: object = {}) =>
  defineEvent<DunningCampaign>({
    type,
    about,
    schema: DunningCampaignObject,
    present,
    example: { object: example },
  })

const ended = { ended_at: '2026-11-14T12:00:00.000Z', next_attempt_at: null }

export const campaignStarted = define(
  'dunning_campaign.started',
  'A dunning campaign started because an invoice could not be collected. Collection is retried according to the dunning policy.',
)
export const campaignStepFailed = define(
  'dunning_campaign.step_failed',
  'A retry of a dunning campaign failed.',
)
export const campaignRecovered = define(
  'dunning_campaign.recovered',
  'The invoice of a dunning campaign was paid.',
  {
    status: 'recovered',
    ...ended,
  },
)
export const campaignExhausted = define(
  'dunning_campaign.exhausted',
  'Every retry of a dunning campaign failed. The final action of the dunning policy was taken.',
  { status: 'exhausted', ...ended },
)
export const campaignStopped = define(
  'dunning_campaign.stopped',
  'A dunning campaign was stopped, manually or because the invoice is no longer owed.',
  { status: 'stopped', ...ended },
)

export const dunningCampaignEvents = [
  campaignStarted,
  campaignStepFailed,
  campaignRecovered,
  campaignExhausted,
  campaignStopped,
]
