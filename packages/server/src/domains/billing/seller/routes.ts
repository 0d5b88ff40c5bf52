import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { present, SellerObject, UpdateSeller } from './schema.ts'
import { getSeller, updateSeller } from './service.ts'

export const sellerOperations = (deps: Deps) => [
  operation({
    id: 'seller.get',
    method: 'GET',
    path: '/seller',
    summary: 'Get the seller',
    description: 'Returns your company as it appears on invoices, and the legal fields that are missing.',
    response: SellerObject,
    present,
    handle: ({ caller }) => getSeller(deps, caller),
  }),
  operation({
    id: 'seller.update',
    method: 'PUT',
    path: '/seller',
    summary: 'Update the seller',
    description:
      'Omitted fields are unchanged. Finalized invoices keep the values that they were finalized with.',
    body: UpdateSeller,
    response: SellerObject,
    present,
    handle: ({ caller, body }) => updateSeller(deps, caller, body),
  }),
]
