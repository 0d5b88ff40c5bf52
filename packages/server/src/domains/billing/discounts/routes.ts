import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import type { DiscountsOfCustomer } from './discount.ts'
import { CustomerDiscounts, CustomerPath, present, UpdateCustomerDiscounts } from './schema.ts'
import { getCustomerDiscounts, updateCustomerDiscounts } from './service.ts'

const version = (list: DiscountsOfCustomer) => list.version
const path = '/customers/:customer_id/discounts'

export const customerDiscountOperations = (deps: Deps) => [
  operation({
    id: 'customers.discounts',
    method: 'GET',
    path,
    summary: 'Get the discounts of a customer',
    description: 'Returns the discounts that reduce all subscriptions of the customer.',
    params: CustomerPath,
    response: CustomerDiscounts,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getCustomerDiscounts(deps, caller, params.customer_id),
  }),
  operation({
    id: 'customers.update_discounts',
    method: 'PUT',
    path,
    summary: 'Update the discounts of a customer',
    description:
      'Replaces the discounts that reduce all subscriptions of the customer. They apply after the discounts of items and of the subscription, from the next period of each subscription on.',
    params: CustomerPath,
    body: UpdateCustomerDiscounts,
    response: CustomerDiscounts,
    errors: [
      'not_found',
      'conflict',
      'version_mismatch',
      'reference_not_found',
      'discount_not_applicable',
      'test_clock_advancing',
    ],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateCustomerDiscounts(deps, caller, params.customer_id, { ...body, ifMatch }),
  }),
]
