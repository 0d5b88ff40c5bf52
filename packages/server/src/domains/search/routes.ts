import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { presentHits, SearchHits, SearchQuery } from './schema.ts'
import { search } from './service.ts'

export const searchOperations = (deps: Deps) => [
  operation({
    id: 'search.list',
    method: 'GET',
    path: '/search',
    summary: 'Find objects by what you know of them',
    description:
      'By whole keys, at once after the write: ids, references of providers, orders, e-mail addresses, numbers of invoices, cards with an amount.',
    query: SearchQuery,
    answer: SearchHits,
    present: presentHits,
    verb: ({ caller, query }) => search(deps, caller, query.q),
  }),
]
