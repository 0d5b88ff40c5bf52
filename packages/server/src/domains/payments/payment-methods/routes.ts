// A payment method is created by a zero-amount payment, so `payment_methods.create` is in the payments
// domain.
import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  AttachPaymentMethod,
  PaymentMethodObject,
  PaymentMethodPath,
  present,
  UpdatePaymentMethod,
} from './schema.ts'
import {
  attachPaymentMethod,
  detachPaymentMethod,
  getPaymentMethod,
  listPaymentMethods,
  updatePaymentMethod,
} from './service.ts'

export const paymentMethodOperations = (deps: Deps) => [
  operation({
    id: 'payment_methods.list',
    method: 'GET',
    path: '/payment-methods',
    summary: 'List payment methods',
    description: 'Returns payment methods, newest first. Can be filtered by customer.',
    query: PageQuery({
      customer_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only payment methods attached to this customer.' }),
      ),
    }),
    response: PageOf(PaymentMethodObject),
    errors: ['invalid_cursor'],
    present: presentPage('/payment-methods', present),
    handle: ({ caller, query }) =>
      listPaymentMethods(deps, caller, rangeOf('payment_method', caller.mode, query), query),
  }),
  operation({
    id: 'payment_methods.get',
    method: 'GET',
    path: '/payment-methods/:payment_method_id',
    summary: 'Get a payment method',
    description: 'Returns a payment method with the card details that can be displayed.',
    params: PaymentMethodPath,
    response: PaymentMethodObject,
    errors: ['not_found'],
    present,
    version: (method) => method.version,
    handle: ({ caller, params }) => getPaymentMethod(deps, caller, params.payment_method_id),
  }),
  operation({
    id: 'payment_methods.update',
    method: 'PUT',
    path: '/payment-methods/:payment_method_id',
    summary: 'Update a payment method',
    description:
      'Omitted fields are unchanged; `null` clears a field. `billing_details` is replaced as a whole. The card number cannot be changed: create a new payment method instead.',
    params: PaymentMethodPath,
    body: UpdatePaymentMethod,
    response: PaymentMethodObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (method) => method.version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePaymentMethod(deps, caller, params.payment_method_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payment_methods.attach',
    method: 'POST',
    path: '/payment-methods/:payment_method_id/attach',
    summary: 'Attach a payment method to a customer',
    description:
      'Allows the customer to be charged with this payment method. Attaching it to the same customer again has no effect. It cannot be moved to another customer.',
    params: PaymentMethodPath,
    body: AttachPaymentMethod,
    response: PaymentMethodObject,
    errors: ['not_found', 'reference_not_found', 'invalid_state', 'attached_to_other_customer', 'conflict'],
    present,
    version: (method) => method.version,
    handle: ({ caller, params, body }) => attachPaymentMethod(deps, caller, params.payment_method_id, body),
  }),
  operation({
    id: 'payment_methods.detach',
    method: 'POST',
    path: '/payment-methods/:payment_method_id/detach',
    summary: 'Detach a payment method',
    description:
      'Permanently detaches the payment method and deletes its card data. Repeated calls return the same result.',
    params: PaymentMethodPath,
    response: PaymentMethodObject,
    errors: ['not_found', 'conflict'],
    present,
    version: (method) => method.version,
    handle: ({ caller, params }) => detachPaymentMethod(deps, caller, params.payment_method_id),
  }),
]
