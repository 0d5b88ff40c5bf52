import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { IdOf, OneOf } from '../../kernel/shapes.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { ShownSubscription } from './collection.ts'
import { statuses } from './machine.ts'
import {
  CancelSubscription,
  CreateSubscription,
  PauseSubscription,
  PreviewChange,
  PreviewCreation,
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
import { previewChange, previewCreation } from './service/preview.ts'
import { getBillingState, getSubscription, listSubscriptions } from './service/read.ts'
import { collectionStatuses } from './subscription.ts'

const path = '/subscriptions/:subscription_id'
const version = (subscription: ShownSubscription) => subscription.version
const filter = (description: string) => Type.Optional(Type.String({ maxLength: 250, description }))

/** What naming other objects may come to. */
const names = ['reference_not_found', 'price_inactive', 'mixed_interval'] as const
const acts = ['not_found', 'conflict', 'version_mismatch', 'invalid_state', 'preview_stale'] as const

export const subscriptionOperations = (deps: Deps) => [
  ...objectOperations(deps),
  ...actionOperations(deps),
  ...lookOperations(deps),
]

const objectOperations = (deps: Deps) => [
  operation({
    id: 'subscriptions.create',
    method: 'POST',
    path: '/subscriptions',
    summary: 'Create a subscription',
    description:
      'Bills its items again and again. It is answered as `trialing`, also without a trial: its first charge runs after this answer, and what comes of it is told by events.',
    body: CreateSubscription,
    status: 201,
    answer: SubscriptionObject,
    refuses: [...names, 'invalid_state', 'preview_stale', 'test_clock_advancing'],
    present,
    version,
    verb: ({ caller, body }) => createSubscription(deps, caller, body),
  }),
  operation({
    id: 'subscriptions.list',
    method: 'GET',
    path: '/subscriptions',
    summary: 'List subscriptions',
    description: 'Newest first, or those of one customer, price, test clock or status.',
    query: PageQuery({
      customer_id: filter('Only those of this customer.'),
      price_id: filter('Only those that bill this price.'),
      test_clock_id: filter('Only those of this test clock.'),
      status: Type.Optional(OneOf(statuses, { description: 'Only those in this status.' })),
      collection_status: Type.Optional(
        OneOf(collectionStatuses, { description: 'Only those that owe, or do not.' }),
      ),
    }),
    answer: PageOf(SubscriptionObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/subscriptions', present),
    verb: ({ caller, query }) =>
      listSubscriptions(deps, caller, rangeOf('subscription', caller.mode, query), query),
  }),
  operation({
    id: 'subscriptions.get',
    method: 'GET',
    path,
    summary: 'Get a subscription',
    description: 'Answers one subscription: whether its clock runs, what it owes, whether it gives access.',
    params: SubscriptionPath,
    answer: SubscriptionObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getSubscription(deps, caller, params.subscription_id),
  }),
  operation({
    id: 'subscriptions.update',
    method: 'PUT',
    path,
    summary: 'Change a subscription',
    description:
      'Members that are not sent stay as they are. Other items are billed for the rest of the period: what is not used of the old ones comes back, to the second.',
    params: SubscriptionPath,
    body: UpdateSubscription,
    answer: SubscriptionObject,
    refuses: [...acts, ...names, 'scheduled_change_conflict', 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
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
      'Its clock stops: nothing is billed, and what is left of the period is lived after it resumes. Possible while it is `trialing` or `active`; again while it is `paused`.',
    params: SubscriptionPath,
    body: PauseSubscription,
    answer: SubscriptionObject,
    refuses: [...acts, 'scheduled_change_conflict', 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      pauseSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.resume',
    method: 'PUT',
    path: `${path}/resume`,
    summary: 'Resume a subscription',
    description:
      'Its clock goes on. If no time is left, a whole period is billed, and it becomes active when that is paid.',
    params: SubscriptionPath,
    body: ResumeSubscription,
    answer: SubscriptionObject,
    refuses: [...acts, 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      resumeSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.cancel',
    method: 'PUT',
    path: `${path}/cancel`,
    summary: 'Cancel a subscription',
    description: 'For good: now, at the end of the period, or at a time.',
    params: SubscriptionPath,
    body: CancelSubscription,
    answer: SubscriptionObject,
    refuses: [...acts, 'test_clock_advancing'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      cancelSubscription(deps, caller, params.subscription_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'subscriptions.unpark',
    method: 'POST',
    path: `${path}/unpark`,
    summary: 'Let a parked subscription go on',
    description: 'After somebody has looked at what was wrong with it.',
    params: SubscriptionPath,
    answer: SubscriptionObject,
    refuses: ['not_found', 'conflict', 'test_clock_advancing'],
    present,
    version,
    verb: ({ caller, params }) => unparkSubscription(deps, caller, params.subscription_id),
  }),
]

const lookOperations = (deps: Deps) => [
  operation({
    id: 'subscriptions.preview_create',
    method: 'POST',
    path: '/subscriptions/preview',
    summary: 'Preview a new subscription',
    description:
      'What creating it would bill, and a token: with it, exactly that is done, or nothing is. Nothing is written.',
    body: PreviewCreation,
    answer: SubscriptionPreview,
    refuses: [...names, 'invalid_state', 'test_clock_advancing'],
    present: presentPreview,
    verb: ({ caller, body }) => previewCreation(deps, caller, body),
  }),
  operation({
    id: 'subscriptions.preview',
    method: 'POST',
    path: `${path}/preview`,
    summary: 'Preview a change of a subscription',
    description:
      'What an action would do and bill, and a token: with it, exactly that is done, or nothing is. Nothing is written.',
    params: SubscriptionPath,
    body: PreviewChange,
    answer: SubscriptionPreview,
    refuses: [...names, 'not_found', 'invalid_state', 'scheduled_change_conflict', 'test_clock_advancing'],
    present: presentPreview,
    verb: ({ caller, params, body }) => previewChange(deps, caller, params.subscription_id, body),
  }),
  operation({
    id: 'subscriptions.access',
    method: 'GET',
    path: `${path}/access`,
    summary: 'Look whether a subscription grants access',
    description: 'The smallest answer for a gate. Ask this before you let somebody in.',
    params: SubscriptionPath,
    answer: SubscriptionAccess,
    refuses: ['not_found'],
    present: presentAccessOf,
    version,
    verb: ({ caller, params }) => getSubscription(deps, caller, params.subscription_id),
  }),
  operation({
    id: 'customers.billing_state',
    method: 'GET',
    path: '/customers/:customer_id/billing-state',
    summary: 'Get all that a customer pays for',
    description: 'All subscriptions of the customer, their credit, and whether any of them gives access.',
    params: Type.Object({ customer_id: IdOf('customer') }),
    answer: BillingState,
    refuses: ['not_found'],
    present: presentState,
    verb: ({ caller, params }) => getBillingState(deps, caller, params.customer_id),
  }),
]
