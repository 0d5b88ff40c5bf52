/** Dunning policies and campaigns: retries of unpaid invoices. */
import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function dunningPoliciesOf(send: Send) {
  const path = '/dunning-policies'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a policy: when to retry an unpaid invoice, and what happens after the last retry. */
    create: (body: api.CreateDunningPolicy, options?: WriteOptions): Promise<Answered<api.DunningPolicy>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists the policies of the workspace. */
    list: (query?: api.ListDunningPolicies, options?: CallOptions): List<api.DunningPolicy> =>
      paginatedList(send, path, query, options),
    /** Retrieves a policy. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DunningPolicy>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Updates a policy. Campaigns that are already running keep the old settings. */
    update: (
      id: string,
      body: api.UpdateDunningPolicy,
      options?: UpdateOptions,
    ): Promise<Answered<api.DunningPolicy>> => send({ method: 'PUT', path: pathOf(id), body, options }),
  }
}

export function dunningCampaignsOf(send: Send) {
  const path = '/dunning-campaigns'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists campaigns, optionally filtered. */
    list: (query?: api.ListDunningCampaigns, options?: CallOptions): List<api.DunningCampaign> =>
      paginatedList(send, path, query, options),
    /** Retrieves a campaign with its steps. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Runs the next scheduled retry now. */
    retry: (id: string, options?: WriteOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'POST', path: `${pathOf(id)}/retry`, options }),
    /** Cancels the remaining retries. The invoice stays open. */
    stop: (id: string, options?: WriteOptions): Promise<Answered<api.DunningCampaign>> =>
      send({ method: 'POST', path: `${pathOf(id)}/stop`, options }),
  }
}
