import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { Providers, presentProviders } from './schema.ts'
import { listProviders } from './service.ts'

export const providerOperations = (deps: Deps) => [
  operation({
    id: 'providers.list',
    method: 'GET',
    path: '/providers',
    summary: 'List providers',
    description:
      'Returns all providers, with the credentials and settings that a provider account needs in this environment, their capabilities, and how to create the webhook.',
    response: Providers,
    present: presentProviders,
    handle: ({ caller }) => listProviders(deps, caller),
  }),
]
