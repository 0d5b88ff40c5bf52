// Making one is a payment of nothing, so `payment_methods.create` stands with the payments.
import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import {
  AttachPaymentMethod,
  CustomerPath,
  DeletedCustomer,
  PaymentMethodObject,
  PaymentMethodPath,
  present,
  presentDeleted,
  UpdatePaymentMethod,
} from './schema.ts'
import {
  attachPaymentMethod,
  deleteCustomer,
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
    description: 'Newest first, or those of one customer.',
    query: PageQuery({
      customer_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only those that are attached to this customer.' }),
      ),
    }),
    answer: PageOf(PaymentMethodObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/payment-methods', present),
    verb: ({ caller, query }) =>
      listPaymentMethods(deps, caller, rangeOf('payment_method', caller.mode, query), query),
  }),
  operation({
    id: 'payment_methods.get',
    method: 'GET',
    path: '/payment-methods/:payment_method_id',
    summary: 'Get a payment method',
    description: 'Answers one payment method. Of the card only what may be shown.',
    params: PaymentMethodPath,
    answer: PaymentMethodObject,
    refuses: ['not_found'],
    present,
    version: (method) => method.version,
    verb: ({ caller, params }) => getPaymentMethod(deps, caller, params.payment_method_id),
  }),
  operation({
    id: 'payment_methods.update',
    method: 'PUT',
    path: '/payment-methods/:payment_method_id',
    summary: 'Change a payment method',
    description:
      'Members that are not sent stay as they are, null clears. Billing details are replaced as a whole. Another number is another payment method.',
    params: PaymentMethodPath,
    body: UpdatePaymentMethod,
    answer: PaymentMethodObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (method) => method.version,
    verb: ({ caller, params, body, ifMatch }) =>
      updatePaymentMethod(deps, caller, params.payment_method_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payment_methods.attach',
    method: 'POST',
    path: '/payment-methods/:payment_method_id/attach',
    summary: 'Attach a payment method to a customer',
    description:
      'From then on the customer can pay with it. To attach it again to the same customer changes nothing; it never becomes that of another.',
    params: PaymentMethodPath,
    body: AttachPaymentMethod,
    answer: PaymentMethodObject,
    refuses: ['not_found', 'reference_not_found', 'invalid_state', 'attached_to_other_customer', 'conflict'],
    present,
    version: (method) => method.version,
    verb: ({ caller, params, body }) => attachPaymentMethod(deps, caller, params.payment_method_id, body),
  }),
  operation({
    id: 'payment_methods.detach',
    method: 'POST',
    path: '/payment-methods/:payment_method_id/detach',
    summary: 'Detach a payment method',
    description: 'For good: its card is destroyed. Repeating it answers the same.',
    params: PaymentMethodPath,
    answer: PaymentMethodObject,
    refuses: ['not_found', 'conflict'],
    present,
    version: (method) => method.version,
    verb: ({ caller, params }) => detachPaymentMethod(deps, caller, params.payment_method_id),
  }),
  operation({
    id: 'customers.delete',
    method: 'DELETE',
    path: '/customers/:customer_id',
    summary: 'Delete a customer',
    description: 'Erases the personal data, and detaches the payment methods. Repeating it answers the same.',
    params: CustomerPath,
    answer: DeletedCustomer,
    refuses: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present: presentDeleted,
    verb: ({ caller, params, ifMatch }) => deleteCustomer(deps, caller, params.customer_id, ifMatch),
  }),
]
