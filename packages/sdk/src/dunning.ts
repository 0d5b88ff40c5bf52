/** What happens when an invoice is not paid: the operations of policies and campaigns as methods. */
import { type List, pages } from './list.ts'
import { part } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function dunningPoliciesOf(send: Send) {
  const path = '/dunning-policies'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** When an unpaid invoice is tried again, and what follows when nothing helps. */
    create: (body: api.CreateDunningPolicy, options?: WriteOptions): Promise<Answered<api.DunningPolicy>> =>
      send({ method: 'POST', path, body, options }),
    /** The policies of the workspace. */
    list: (query?: api.ListDunningPolicies, options?: CallOptions): List<api.DunningPolicy> =>
      pages(send, path, query, options),
    /** One policy, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DunningPolicy>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Campaigns that run go on as they began. */
    update: (
      id: string,
      body: api.UpdateDunningPolicy,
      options?: UpdateOptions,
    ): Promise<Answered<api.DunningPolicy>> => send({ method: 'PUT', path: at(id), body, options }),
  }
}

export function dunningCampaignsOf(send: Send) {
  const path = '/dunning-campaigns'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** All campaigns, or those that fit what is asked for. */
    list: (query?: api.ListDunningCampaigns, options?: CallOptions): List<api.DunningCampaign> =>
      pages(send, path, query, options),
    /** One campaign, with its steps. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Tries at once what would be tried next. It uses up that try. */
    retry: (id: string, options?: WriteOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'POST', path: `${at(id)}/retry`, options }),
    /** Nothing is tried any more. The invoice stays open. */
    stop: (id: string, options?: WriteOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'POST', path: `${at(id)}/stop`, options }),
  }
}
