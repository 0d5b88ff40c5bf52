import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import { CreateCustomer, CustomerBody, CustomerObject, CustomerPath, present } from './schema.ts'
import { createCustomer, getCustomer, listCustomers, updateCustomer } from './service.ts'

const email = Type.Optional(
  Type.String({
    format: 'email',
    maxLength: 254,
    description: 'Only customers with this email address (case-insensitive).',
  }),
)

// `customers.delete` is defined with subscriptions, because deleting a customer cancels them or is refused.
export const customerOperations = (deps: Deps) => [
  operation({
    id: 'customers.create',
    method: 'POST',
    path: '/customers',
    summary: 'Create a customer',
    description:
      'All fields are optional. Email addresses are not unique: to avoid duplicates, search for an existing customer first.',
    body: CreateCustomer,
    status: 201,
    response: CustomerObject,
    errors: ['reference_not_found', 'test_clock_advancing'],
    present,
    version: (customer) => customer.version,
    handle: ({ caller, body }) => createCustomer(deps, caller, body),
  }),
  operation({
    id: 'customers.list',
    method: 'GET',
    path: '/customers',
    summary: 'List customers',
    description:
      'Returns customers, newest first. Can be filtered by email address. Deleted customers are not included.',
    query: PageQuery({ email, test_clocks: TestClocks }),
    response: PageOf(CustomerObject),
    errors: ['invalid_cursor'],
    present: presentPage('/customers', present),
    handle: ({ caller, query }) =>
      listCustomers(deps, caller, rangeOf('customer', caller.mode, query), { email: query.email }),
  }),
  operation({
    id: 'customers.get',
    method: 'GET',
    path: '/customers/:customer_id',
    summary: 'Get a customer',
    description: 'Returns a customer. Deleted customers return 404.',
    params: CustomerPath,
    response: CustomerObject,
    errors: ['not_found'],
    present,
    version: (customer) => customer.version,
    handle: ({ caller, params }) => getCustomer(deps, caller, params.customer_id),
  }),
  operation({
    id: 'customers.update',
    method: 'PUT',
    path: '/customers/:customer_id',
    summary: 'Update a customer',
    description: 'Omitted fields are unchanged; `null` clears a field. `address` is replaced as a whole.',
    params: CustomerPath,
    body: CustomerBody,
    response: CustomerObject,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (customer) => customer.version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateCustomer(deps, caller, params.customer_id, { ...body, ifMatch }),
  }),
]
