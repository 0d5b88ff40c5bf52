import type { Deps } from '../../deps.ts'
import type { Door } from '../../platform/http/doors.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import {
  CreatePaymentLink,
  ListPaymentLinks,
  PaymentLinkObject,
  PaymentLinkPath,
  present,
  UpdatePaymentLink,
} from './schema.ts'
import { showLink } from './service/public.ts'
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
      'An address at which somebody pays: an amount, an amount of their choice, or a list of things. One can pay by it within 30 days, unless it says otherwise. Opening the address changes nothing.',
    body: CreatePaymentLink,
    status: 201,
    answer: PaymentLinkObject,
    refuses: ['reference_not_found'],
    present,
    version: (link) => link.version,
    verb: ({ caller, body }) => createPaymentLink(deps, caller, body),
  }),
  operation({
    id: 'payment_links.list',
    method: 'GET',
    path: '/payment-links',
    summary: 'List payment links',
    description: 'Newest first, or those in one status.',
    query: PageQuery(ListPaymentLinks),
    answer: PageOf(PaymentLinkObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/payment-links', present),
    verb: ({ caller, query }) =>
      listPaymentLinks(deps, caller, rangeOf('payment_link', caller.mode, query), query),
  }),
  operation({
    id: 'payment_links.get',
    method: 'GET',
    path: '/payment-links/:payment_link_id',
    summary: 'Get a payment link',
    description: 'Answers one link, with how often it was paid.',
    params: PaymentLinkPath,
    answer: PaymentLinkObject,
    refuses: ['not_found'],
    present,
    version: (link) => link.version,
    verb: ({ caller, params }) => getPaymentLink(deps, caller, params.payment_link_id),
  }),
  operation({
    id: 'payment_links.update',
    method: 'PUT',
    path: '/payment-links/:payment_link_id',
    summary: 'Change a payment link',
    description:
      'Members that are not sent stay as they are, null clears. What is to be paid cannot be changed: somebody may have seen it. Payers who have the page open go on with what it showed.',
    params: PaymentLinkPath,
    body: UpdatePaymentLink,
    answer: PaymentLinkObject,
    refuses: ['not_found', 'reference_not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (link) => link.version,
    verb: ({ caller, params, body, ifMatch }) =>
      updatePaymentLink(deps, caller, params.payment_link_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'payment_links.deactivate',
    method: 'POST',
    path: '/payment-links/:payment_link_id/deactivate',
    summary: 'Deactivate a payment link',
    description:
      'Nobody can begin to pay by it any more. Whoever is paying at this moment may still succeed.',
    params: PaymentLinkPath,
    answer: PaymentLinkObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (link) => link.version,
    verb: ({ caller, params }) => deactivatePaymentLink(deps, caller, params.payment_link_id),
  }),
  operation({
    id: 'payment_links.activate',
    method: 'POST',
    path: '/payment-links/:payment_link_id/activate',
    summary: 'Activate a payment link',
    description:
      'Undoes a deactivation. Also for one that is expired or completed, after it got more time or more completions.',
    params: PaymentLinkPath,
    answer: PaymentLinkObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version: (link) => link.version,
    verb: ({ caller, params }) => activatePaymentLink(deps, caller, params.payment_link_id),
  }),
]

/** For the page at the address of a link. */
export const paymentLinkDoors = (deps: Deps): readonly Door[] => [
  {
    method: 'GET',
    path: '/checkout/links/:slug',
    isQuiet: true,
    open: async ({ mode, params }) => ({ is: 'text', text: await showLink(deps, mode, params.slug ?? '') }),
  },
]
