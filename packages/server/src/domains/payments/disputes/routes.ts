import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { DisputeObject, DisputePath, ListDisputes, present } from './schema.ts'
import { getDispute, listDisputes } from './service.ts'

export const disputeOperations = (deps: Deps) => [
  operation({
    id: 'disputes.list',
    method: 'GET',
    path: '/disputes',
    summary: 'List disputes',
    description: 'Returns disputes, newest first. Can be filtered by payment, status or deadline.',
    query: PageQuery(ListDisputes),
    response: PageOf(DisputeObject),
    errors: ['invalid_cursor'],
    present: presentPage('/disputes', present),
    handle: ({ caller, query }) => listDisputes(deps, caller, rangeOf('dispute', caller.mode, query), query),
  }),
  operation({
    id: 'disputes.get',
    method: 'GET',
    path: '/disputes/:dispute_id',
    summary: 'Get a dispute',
    description: 'Returns the current state of a dispute.',
    params: DisputePath,
    response: DisputeObject,
    errors: ['not_found'],
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params }) => getDispute(deps, caller, params.dispute_id),
  }),
]
