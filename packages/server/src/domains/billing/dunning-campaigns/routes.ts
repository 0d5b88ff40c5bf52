import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { OneOf } from '../../../kernel/shapes.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
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
    description:
      'Returns dunning campaigns, newest first. Can be filtered by status or by subscription, but not both.',
    query: PageQuery({
      status: Type.Optional(OneOf(statuses, { description: 'Only dunning campaigns with this status.' })),
      subscription_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only dunning campaigns of this subscription.' }),
      ),
      test_clocks: TestClocks,
    }),
    response: PageOf(DunningCampaignObject),
    errors: ['invalid_cursor'],
    present: presentPage('/dunning-campaigns', present),
    handle: ({ caller, query }) =>
      listDunningCampaigns(deps, caller, rangeOf('dunning_campaign', caller.mode, query), query),
  }),
  operation({
    id: 'dunning_campaigns.get',
    method: 'GET',
    path,
    summary: 'Get a dunning campaign',
    description: 'Returns a dunning campaign with all retries so far and the time of the next one.',
    params: DunningCampaignPath,
    response: DunningCampaignObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
  operation({
    id: 'dunning_campaigns.retry',
    method: 'POST',
    path: `${path}/retry`,
    summary: 'Retry a dunning campaign now',
    description: 'Runs the next scheduled retry now. The number of retries does not change.',
    params: DunningCampaignPath,
    response: DunningCampaignObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'test_clock_advancing'],
    present,
    handle: ({ caller, params }) => retryDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
  operation({
    id: 'dunning_campaigns.stop',
    method: 'POST',
    path: `${path}/stop`,
    summary: 'Stop a dunning campaign',
    description: 'Cancels all remaining retries. The invoice stays open.',
    params: DunningCampaignPath,
    response: DunningCampaignObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'test_clock_advancing'],
    present,
    handle: ({ caller, params }) => stopDunningCampaign(deps, caller, params.dunning_campaign_id),
  }),
]
