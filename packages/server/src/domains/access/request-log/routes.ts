import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { ListRequests, present, RequestObject, RequestPath } from './schema.ts'
import { getRequest, listRequests } from './service.ts'

export const requestLogOperations = (deps: Deps) => [
  operation({
    id: 'requests.list',
    method: 'GET',
    path: '/requests',
    summary: 'List API requests',
    description:
      'Returns your API requests of the last 30 days, newest first. At most one filter can be used. Bodies are redacted.',
    query: PageQuery(ListRequests),
    response: PageOf(RequestObject),
    errors: ['invalid_cursor'],
    present: presentPage('/requests', present),
    handle: ({ caller, query }) => listRequests(deps, caller, rangeOf('request', caller.mode, query), query),
  }),
  operation({
    id: 'requests.get',
    method: 'GET',
    path: '/requests/:request_id',
    summary: 'Get an API request',
    description:
      'Returns a request by its ID, which is in the `Request-Id` header of every response and in every error.',
    params: RequestPath,
    response: RequestObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getRequest(deps, caller, params.request_id),
  }),
]
