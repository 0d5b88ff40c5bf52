import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { presentHits, SearchHits, SearchQuery } from './schema.ts'
import { search } from './service.ts'

export const searchOperations = (deps: Deps) => [
  operation({
    id: 'search.list',
    method: 'GET',
    path: '/search',
    summary: 'Search for objects',
    description:
      'Finds customers and products by name, payers by name and email address, and payments by order number, card or provider reference. New objects can be found immediately.',
    query: SearchQuery,
    response: SearchHits,
    present: presentHits,
    handle: ({ caller, query }) => search(deps, caller, query.q),
  }),
]
