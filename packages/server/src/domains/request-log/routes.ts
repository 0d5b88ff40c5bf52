import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { ListRequests, present, RequestObject, RequestPath } from './schema.ts'
import { getRequest, listRequests } from './service.ts'

export const requestLogOperations = (deps: Deps) => [
  operation({
    id: 'requests.list',
    method: 'GET',
    path: '/requests',
    summary: 'List your calls of the API',
    description:
      'The last 30 days, newest first: all, or those that one filter lets through. Bodies are redacted.',
    query: PageQuery(ListRequests),
    answer: PageOf(RequestObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/requests', present),
    verb: ({ caller, query }) => listRequests(deps, caller, rangeOf('request', caller.mode, query), query),
  }),
  operation({
    id: 'requests.get',
    method: 'GET',
    path: '/requests/:request_id',
    summary: 'Get one of your calls',
    description: 'By the id that stands in the header `Request-Id` of every answer, and in every error.',
    params: RequestPath,
    answer: RequestObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getRequest(deps, caller, params.request_id),
  }),
]
