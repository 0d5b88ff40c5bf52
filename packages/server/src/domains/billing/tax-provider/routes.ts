import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { present, presentCheck, TaxProviderCheck, TaxProviderObject, UpdateTaxProvider } from './schema.ts'
import { checkTaxProvider, deleteTaxProvider, getTaxProvider, updateTaxProvider } from './service.ts'
import { comparableUpdate } from './tax-provider.ts'

const path = '/tax-provider'

export const taxProviderOperations = (deps: Deps) => [
  operation({
    id: 'tax_provider.get',
    method: 'GET',
    path,
    summary: 'Get the tax provider',
    description:
      'Returns the account at the service that computes tax, and how long drafts and documents have waited for it.',
    response: TaxProviderObject,
    errors: ['not_found'],
    present,
    handle: ({ caller }) => getTaxProvider(deps, caller),
  }),
  operation({
    id: 'tax_provider.update',
    method: 'PUT',
    path,
    summary: 'Update the tax provider',
    description:
      'Configures the account. Set `tax` of the seller to `provider` to use it. Omitted secrets of the same provider are unchanged.',
    body: UpdateTaxProvider,
    bodyForIdempotency: comparableUpdate,
    response: TaxProviderObject,
    errors: ['object_in_use'],
    present,
    handle: ({ caller, body }) => updateTaxProvider(deps, caller, body),
  }),
  operation({
    id: 'tax_provider.delete',
    method: 'DELETE',
    path,
    summary: 'Delete the tax provider',
    description: 'Removes the account and its secrets. Refused while `tax` of the seller is `provider`.',
    response: TaxProviderObject,
    errors: ['not_found', 'object_in_use'],
    present,
    handle: ({ caller }) => deleteTaxProvider(deps, caller),
  }),
  operation({
    id: 'tax_provider.check',
    method: 'POST',
    path: `${path}/check`,
    summary: 'Check the tax provider',
    description:
      'Calls the provider without changing anything, and returns whether it accepts the credentials.',
    response: TaxProviderCheck,
    errors: ['not_found'],
    present: presentCheck,
    handle: ({ caller }) => checkTaxProvider(deps, caller),
  }),
]
