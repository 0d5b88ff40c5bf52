import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { IdOf, OneOf } from '../../../kernel/shapes.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import type { SubscriptionWithAccess } from './collection.ts'
import { statuses } from './machine.ts'
import {
  CancelSubscription,
  CreateSubscription,
  CustomerPath,
  DeleteCustomer,
  DeletedCustomer,
  PauseSubscription,
  PreviewChange,
  PreviewCreation,
  presentDeleted,
  ResumeSubscription,
  UpdateSubscription,
} from './schema/commands.ts'
import { present } from './schema/present.ts'
import {
  BillingState,
  presentAccessOf,
  presentPreview,
  presentState,
  SubscriptionAccess,
  SubscriptionPreview,
} from './schema/preview.ts'
import { SubscriptionObject, SubscriptionPath } from './schema/subscription.ts'
import {
  cancelSubscription,
  createSubscription,
  pauseSubscription,
  resumeSubscription,
  unparkSubscription,
  updateSubscription,
} from './service/commands.ts'
import { deleteCustomer } from './service/delete-customer.ts'
import { previewChange, previewCreation } from './service/preview.ts'
import { getBillingState, getSubscription, listSubscriptions } from './service/read.ts'
import { collectionStatuses } from './subscription.ts'

const path = '/subscriptions/:subscription_id'
const version = (subscription: SubscriptionWithAccess) => subscription.version
const filter = (description: string) => Type.Optional(Type.String({ maxLength: 250, description }))

/** Errors for references to other objects. */
const referenceErrors = [
  'reference_not_found',
  'price_inactive',
  'mixed_interval',
  'discount_not_applicable',
] as const
const actionErrors = ['not_found', 'conflict', 'version_mismatch', 'invalid_state', 'preview_stale'] as const

export const subscriptionOperations = (deps: Deps) => [
  ...objectOperations(deps),
  ...actionOperations(deps),
  ...previewAndAccessOperations(deps),
  ...customerOperations(deps),
]

const objectOperations = (deps: Deps) => [
  operation({
    id: 'subscriptions.create',
    method: 'POST',
    path: '/subscriptions',
    summary: 'Create a subscription',
    description:
      'Bills the items every period. The subscription is returned as `trialing`, even if it has no trial: the first charge runs after the response, and its result is reported by events.',
    body: CreateSubscription,
    status: 201,
    response: SubscriptionObject,
    errors: [...referenceErrors, 'invalid_state', 'preview_stale', 'test_clock_advancing'],
    present,
    version,
    handle: ({ caller, body }) => createSubscription(deps, caller, body),
  }),
  operation({
    id: 'subscriptions.list',
    method: 'GET',
    path: '/subscriptions',
    summary: 'List subscriptions',
    description:
      'Returns subscriptions, newest first. Can be filtered by customer, price, test clock or status.',
    query: PageQuery({
      customer_id: filter('Only subscriptions of this customer.'),
      price_id: filter('Only subscriptions with this price.'),
      test_clock_id: filter('Only subscriptions on this test clock.'),
      status: Type.Optional(OneOf(statuses, { description: 'Only subscriptions with this status.' })),
      collection_status: Type.Optional(
        OneOf(collectionStatuses, { description: 'Only subscriptions with this collection status.' }),
      ),
      test_clocks: TestClocks,
    }),
    response: PageOf(SubscriptionObject),
    errors: ['invalid_cursor'],
    present: presentPage('/subscriptions', present),
    handle: ({ caller, query }) =>
      listSubscriptions(deps, caller, rangeOf('subscription', caller.mode, query), query),
  }),
  operation({
    id: 'subscriptions.get',
    method: 'GET',
    path,
    summary: 'Get a subscription',
    description:
      'Returns a subscription with its status, its collection status and whether it grants access.',
    params: SubscriptionPath,
    response: SubscriptionObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getSubscription(deps, caller, params.subscription_id),
  }),
  operation({
    id: 'subscriptions.update',
    method: 'PUT',
    path,
    summary: 'Update a subscription',
    description:
      'Omitted fields are unchanged. Changed items are prorated to the second: unused time of the old items is credited, and the new items are charged for the rest of the period.',
    params: SubscriptionPath,
    body: UpdateSubscription,
    response: SubscriptionObject,
    errors: [...actionErrors, ...referenceErrors, 'scheduled_change_conflict', 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
]

const actionOperations = (deps: Deps) => [
  operation({
    id: 'subscriptions.pause',
    method: 'PUT',
    path: `${path}/pause`,
    summary: 'Pause a subscription',
    description:
      'Stops billing. By default, the remaining time of the period is kept, and continues when the subscription resumes. Possible while the subscription is `trialing` or `active`. Pausing it again while it is `paused` changes the time at which it resumes.',
    params: SubscriptionPath,
    body: PauseSubscription,
    response: SubscriptionObject,
    errors: [...actionErrors, 'scheduled_change_conflict', 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      pauseSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.resume',
    method: 'PUT',
    path: `${path}/resume`,
    summary: 'Resume a subscription',
    description:
      'Continues billing. If no time is left from the period, a full period is billed, and the subscription becomes active once it is paid.',
    params: SubscriptionPath,
    body: ResumeSubscription,
    response: SubscriptionObject,
    errors: [...actionErrors, 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      resumeSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.cancel',
    method: 'PUT',
    path: `${path}/cancel`,
    summary: 'Cancel a subscription',
    description: 'Cancels permanently: now, at the end of the period, or at a given time.',
    params: SubscriptionPath,
    body: CancelSubscription,
    response: SubscriptionObject,
    errors: [...actionErrors, 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      cancelSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.unpark',
    method: 'POST',
    path: `${path}/unpark`,
    summary: 'Unpark a subscription',
    description: 'Resumes automatic processing after the error has been reviewed.',
    params: SubscriptionPath,
    response: SubscriptionObject,
    errors: ['not_found', 'conflict', 'test_clock_advancing'],
    present,
    version,
    handle: ({ caller, params }) => unparkSubscription(deps, caller, params.subscription_id),
  }),
]

const customerOperations = (deps: Deps) => [
  operation({
    id: 'customers.delete',
    method: 'DELETE',
    path: '/customers/:customer_id',
    summary: 'Delete a customer',
    description:
      'Erases personal data and detaches the payment methods. Rejected with 409 while the customer has open invoices, or subscriptions that are not cancelled. With `subscriptions=cancel`, these are voided and cancelled. Repeated calls return the same result.',
    params: CustomerPath,
    query: DeleteCustomer,
    response: DeletedCustomer,
    errors: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present: presentDeleted,
    handle: ({ caller, params, query, ifMatch }) =>
      deleteCustomer(deps, caller, params.customer_id, {
        ifMatch,
        subscriptions: query.subscriptions ?? 'refuse',
      }),
  }),
]

const previewAndAccessOperations = (deps: Deps) => [
  operation({
    id: 'subscriptions.preview_create',
    method: 'POST',
    path: '/subscriptions/preview',
    summary: 'Preview a new subscription',
    description:
      'Returns what creating the subscription would bill, and a preview token. A create call with the token does exactly that or fails. Nothing is saved.',
    body: PreviewCreation,
    response: SubscriptionPreview,
    errors: [...referenceErrors, 'invalid_state', 'test_clock_advancing'],
    present: presentPreview,
    handle: ({ caller, body }) => previewCreation(deps, caller, body),
  }),
  operation({
    id: 'subscriptions.preview',
    method: 'POST',
    path: `${path}/preview`,
    summary: 'Preview a change to a subscription',
    description:
      'Returns what an action would change and bill, and a preview token. A call with the token does exactly that or fails. Nothing is saved.',
    params: SubscriptionPath,
    body: PreviewChange,
    response: SubscriptionPreview,
    errors: [
      ...referenceErrors,
      'not_found',
      'invalid_state',
      'scheduled_change_conflict',
      'test_clock_advancing',
    ],
    present: presentPreview,
    handle: ({ caller, params, body }) => previewChange(deps, caller, params.subscription_id, body),
  }),
  operation({
    id: 'subscriptions.access',
    method: 'GET',
    path: `${path}/access`,
    summary: 'Check whether a subscription grants access',
    description: 'Returns only the access decision. Call this before you grant access to your service.',
    params: SubscriptionPath,
    response: SubscriptionAccess,
    errors: ['not_found'],
    present: presentAccessOf,
    version,
    handle: ({ caller, params }) => getSubscription(deps, caller, params.subscription_id),
  }),
  operation({
    id: 'customers.billing_state',
    method: 'GET',
    path: '/customers/:customer_id/billing-state',
    summary: 'Get the billing state of a customer',
    description:
      'Returns the subscriptions and credit of the customer and whether any subscription grants access.',
    params: Type.Object({ customer_id: IdOf('customer') }),
    response: BillingState,
    errors: ['not_found'],
    present: presentState,
    handle: ({ caller, params }) => getBillingState(deps, caller, params.customer_id),
  }),
]
