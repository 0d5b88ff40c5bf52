import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { Concerns, presentConcerns } from './schema.ts'
import { listConcerns } from './service.ts'

export const attentionOperations = (deps: Deps) => [
  operation({
    id: 'attention.list',
    method: 'GET',
    path: '/attention',
    summary: 'List issues that need attention',
    description:
      'Returns current issues: webhook endpoints and provider accounts with problems, payments with an unknown outcome, payments and refunds in review, parked subscriptions, and dunning campaigns that end soon. Resolved issues are removed immediately.',
    response: Concerns,
    present: presentConcerns,
    handle: ({ caller }) => listConcerns(deps, caller),
  }),
]
