import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { OneOf } from '../../kernel/shapes.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { statuses } from './dunning-campaign.ts'
import { DunningCampaignObject, DunningCampaignPath, present } from './schema.ts'
import {
  getDunningCampaign,
  listDunningCampaigns,
  retryDunningCampaign,
  stopDunningCampaign,
} from './service.ts'

const path = '/dunning-campaigns/:dunning_campaign_id'

export const dunningCampaignOperations = (deps: Deps) => [
  operation({
    id: 'dunning_campaigns.list',
    method: 'GET',
    path: '/dunning-campaigns',
    summary: 'List dunning campaigns',
    description: 'Newest first, or those in one status or of one subscription.',
    query: PageQuery({
      status: Type.Optional(OneOf(statuses, { description: 'Only those of this status.' })),
      subscription_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only those of this subscription.' }),
      ),
    }),
    answer: PageOf(DunningCampaignObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/dunning-campaigns', present),
    verb: ({ caller, query }) =>
      listDunningCampaigns(deps, caller, rangeOf('dunning_campaign', caller.mode, query), query),
  }),
  operation({
    id: 'dunning_campaigns.get',
    method: 'GET',
    path,
    summary: 'Get a dunning campaign',
    description: 'Answers one campaign with every try so far, and when the next one is.',
    params: DunningCampaignPath,
    answer: DunningCampaignObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
  operation({
    id: 'dunning_campaigns.retry',
    method: 'POST',
    path: `${path}/retry`,
    summary: 'Try a dunning campaign now',
    description: 'Tries at once what would be tried next. It uses up that try.',
    params: DunningCampaignPath,
    answer: DunningCampaignObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'test_clock_advancing'],
    present,
    verb: ({ caller, params }) => retryDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
  operation({
    id: 'dunning_campaigns.stop',
    method: 'POST',
    path: `${path}/stop`,
    summary: 'Stop a dunning campaign',
    description: 'Nothing is tried any more. The invoice stays open.',
    params: DunningCampaignPath,
    answer: DunningCampaignObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'test_clock_advancing'],
    present,
    verb: ({ caller, params }) => stopDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
]
