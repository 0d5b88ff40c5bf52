import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { Concerns, presentConcerns } from './schema.ts'
import { listConcerns } from './service.ts'

export const attentionOperations = (deps: Deps) => [
  operation({
    id: 'attention.list',
    method: 'GET',
    path: '/attention',
    summary: 'List what needs a person',
    description:
      'What is wrong now: webhook endpoints, provider accounts, payments with an unknown outcome, reviews, dunning that ends soon. What was mended is gone at once.',
    answer: Concerns,
    present: presentConcerns,
    verb: ({ caller }) => listConcerns(deps, caller),
  }),
]
