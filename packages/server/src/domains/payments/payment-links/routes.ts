import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRoute } from '../../../platform/http/public-routes.ts'
import {
  CreatePaymentLink,
  ListPaymentLinks,
  PaymentLinkObject,
  PaymentLinkPath,
  present,
  UpdatePaymentLink,
} from './schema.ts'
import { fieldsChoiceOf, showLink } from './service/public.ts'
import {
  activatePaymentLink,
  createPaymentLink,
  deactivatePaymentLink,
  getPaymentLink,
  listPaymentLinks,
  updatePaymentLink,
} from './service.ts'

export const paymentLinkOperations = (deps: Deps) => [
  operation({
    id: 'payment_links.create',
    method: 'POST',
    path: '/payment-links',
    summary: 'Create a payment link',
    description:
      'Creates a hosted payment page with a fixed amount, an amount that the payer chooses, or line items. The link expires after 30 days by default. Opening it does not create a session.',
    body: CreatePaymentLink,
    status: 201,
    response: PaymentLinkObject,
    errors: ['reference_not_found', 'raw_cards_disabled', 'price_inactive', 'mixed_interval'],
    present,
    version: (link) => link.version,
    handle: ({ caller, body }) => createPaymentLink(deps, caller, body),
  }),
  operation({
    id: 'payment_links.list',
    method: 'GET',
    path: '/payment-links',
    summary: 'List payment links',
    description: 'Returns payment links, newest first. Can be filtered by status.',
    query: PageQuery(ListPaymentLinks),
    response: PageOf(PaymentLinkObject),
    errors: ['invalid_cursor'],
    present: presentPage('/payment-links', present),
    handle: ({ caller, query }) =>
      listPaymentLinks(deps, caller, rangeOf('payment_link', caller.mode, query), query),
  }),
  operation({
    id: 'payment_links.get',
    method: 'GET',
    path: '/payment-links/:payment_link_id',
    summary: 'Get a payment link',
    description: 'Returns a payment link with the number of completed payments.',
    params: PaymentLinkPath,
    response: PaymentLinkObject,
    errors: ['not_found'],
    present,
    version: (link) => link.version,
    handle: ({ caller, params }) => getPaymentLink(deps, caller, params.payment_link_id),
  }),
  operation({
    id: 'payment_links.update',
    method: 'PUT',
    path: '/payment-links/:payment_link_id',
    summary: 'Update a payment link',
    description:
      'Omitted fields are unchanged; `null` clears a field. The amount, currency and line items cannot be changed, because a payer may already have seen them. Payers who have the page open continue with the version they loaded.',
    params: PaymentLinkPath,
    body: UpdatePaymentLink,
    response: PaymentLinkObject,
    errors: ['not_found', 'reference_not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (link) => link.version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePaymentLink(deps, caller, params.payment_link_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payment_links.deactivate',
    method: 'POST',
    path: '/payment-links/:payment_link_id/deactivate',
    summary: 'Deactivate a payment link',
    description: 'Prevents new payments. Payments in progress may still succeed.',
    params: PaymentLinkPath,
    response: PaymentLinkObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (link) => link.version,
    handle: ({ caller, params }) => deactivatePaymentLink(deps, caller, params.payment_link_id),
  }),
  operation({
    id: 'payment_links.activate',
    method: 'POST',
    path: '/payment-links/:payment_link_id/activate',
    summary: 'Activate a payment link',
    description:
      'Reverses a deactivation. An expired or completed link can be activated after you extend `expires_at` or raise `max_completions`.',
    params: PaymentLinkPath,
    response: PaymentLinkObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (link) => link.version,
    handle: ({ caller, params }) => activatePaymentLink(deps, caller, params.payment_link_id),
  }),
]

/** For the hosted page of a link. */
export const paymentLinkPublicRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'GET',
    path: '/checkout/links/:slug',
    isQuiet: true,
    handle: async ({ mode, params, query }) => ({
      kind: 'text',
      text: await showLink(deps, mode, params.slug ?? '', fieldsChoiceOf(query)),
    }),
  },
]
