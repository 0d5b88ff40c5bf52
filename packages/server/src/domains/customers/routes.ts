import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { CreateCustomer, CustomerBody, CustomerObject, CustomerPath, present } from './schema.ts'
import { createCustomer, getCustomer, listCustomers, updateCustomer } from './service.ts'

const email = Type.Optional(
  Type.String({
    format: 'email',
    maxLength: 254,
    description: 'Only customers with this e-mail address, in either case.',
  }),
)

// Deleting one takes its payment methods along, so `customers.delete` stands with those.
export const customerOperations = (deps: Deps) => [
  operation({
    id: 'customers.create',
    method: 'POST',
    path: '/customers',
    summary: 'Create a customer',
    description:
      'Nothing is required. Two customers may have the same e-mail address: look for one first if yours may not.',
    body: CreateCustomer,
    status: 201,
    answer: CustomerObject,
    refuses: ['reference_not_found', 'test_clock_advancing'],
    present,
    version: (customer) => customer.version,
    verb: ({ caller, body }) => createCustomer(deps, caller, body),
  }),
  operation({
    id: 'customers.list',
    method: 'GET',
    path: '/customers',
    summary: 'List customers',
    description: 'Newest first, or those with one e-mail address. Deleted customers are not among them.',
    query: PageQuery({ email }),
    answer: PageOf(CustomerObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/customers', present),
    verb: ({ caller, query }) =>
      listCustomers(deps, caller, rangeOf('customer', caller.mode, query), { email: query.email }),
  }),
  operation({
    id: 'customers.get',
    method: 'GET',
    path: '/customers/:customer_id',
    summary: 'Get a customer',
    description: 'Answers one customer. One that was deleted is not found.',
    params: CustomerPath,
    answer: CustomerObject,
    refuses: ['not_found'],
    present,
    version: (customer) => customer.version,
    verb: ({ caller, params }) => getCustomer(deps, caller, params.customer_id),
  }),
  operation({
    id: 'customers.update',
    method: 'PUT',
    path: '/customers/:customer_id',
    summary: 'Change a customer',
    description:
      'Members that are not sent stay as they are, null clears. An address is replaced as a whole.',
    params: CustomerPath,
    body: CustomerBody,
    answer: CustomerObject,
    refuses: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (customer) => customer.version,
    verb: ({ caller, params, body, ifMatch }) =>
      updateCustomer(deps, caller, params.customer_id, { ...body, ifMatch }),
  }),
]
