import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { ProviderAccountPath, presentCosts, SettledCosts } from './schema.ts'
import { listSettledCosts } from './service.ts'

export const settledCostOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.settled_costs',
    method: 'GET',
    path: '/provider-accounts/:provider_account_id/settled-costs',
    summary: 'List the settled costs of a provider account',
    description:
      'Returns what payments have cost at this account, by currency, card and amount, from the fees in imported settlement reports. Refunds, disputes, and payments that were settled in another currency are not included.',
    params: ProviderAccountPath,
    response: SettledCosts,
    errors: ['not_found'],
    present: presentCosts,
    handle: ({ caller, params }) => listSettledCosts(deps, caller, params.provider_account_id),
  }),
]
