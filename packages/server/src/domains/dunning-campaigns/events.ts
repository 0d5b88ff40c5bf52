import { defineEvent } from '../../platform/db/events.ts'
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
  'An invoice could not be collected. It is tried again as its policy says.',
)
export const campaignStepFailed = define(
  'dunning_campaign.step_failed',
  'A further try of a campaign failed.',
)
export const campaignRecovered = define('dunning_campaign.recovered', 'The invoice of a campaign was paid.', {
  status: 'recovered',
  ...ended,
})
export const campaignExhausted = define(
  'dunning_campaign.exhausted',
  'Nothing helped. What the policy says for the end has happened.',
  { status: 'exhausted', ...ended },
)
export const campaignStopped = define(
  'dunning_campaign.stopped',
  'A campaign was stopped, or nothing is owed any more.',
  { status: 'stopped', ...ended },
)

export const dunningCampaignEvents = [
  campaignStarted,
  campaignStepFailed,
  campaignRecovered,
  campaignExhausted,
  campaignStopped,
]
