import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { OneOf } from '../../kernel/shapes.ts'
import { operation } from '../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { Delivery } from './delivery.ts'
import {
  DeliveryObject,
  DeliveryPath,
  DeliveryWithAttemptsObject,
  EndpointPath,
  FiguresObject,
  ListAllDeliveries,
  present,
  presentFigures,
  presentWithAttempts,
  ResendEvent,
  ResentEventPath,
  TestWebhookEndpoint,
} from './schema.ts'
import { getDelivery, getFigures, listAllDeliveries, listDeliveries } from './service/read.ts'
import { resendDelivery, resendEvent } from './service/resend.ts'
import { type EventSketch, testWebhookEndpoint } from './service/test-event.ts'

const endpointPath = '/webhook-endpoints/:webhook_endpoint_id'

/** Those that an index serves. To list the others by state would read what it does not answer. */
const state = Type.Optional(
  OneOf(['held', 'exhausted'], { description: 'Only deliveries in this state: those that wait for you.' }),
)

export const deliveryOperations = (deps: Deps, types: readonly EventSketch[]) => [
  ...readingOperations(deps),
  ...sendingOperations(deps, types),
]

const readingOperations = (deps: Deps) => [
  operation({
    id: 'deliveries.list',
    method: 'GET',
    path: `${endpointPath}/deliveries`,
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Those of the last 30 days: all, or those that are `held` or `exhausted`.',
    params: EndpointPath,
    query: PageQuery({ state }),
    answer: PageOf(DeliveryObject),
    refuses: ['not_found', 'invalid_cursor'],
    present: (page: Page<Delivery>, { params }) =>
      presentPage(`/webhook-endpoints/${params.webhook_endpoint_id}/deliveries`, present)(page),
    verb: ({ caller, params, query }) =>
      listDeliveries(deps, caller, rangeOf('delivery', caller.mode, query), {
        endpointId: params.webhook_endpoint_id,
        state: query.state,
      }),
  }),
  operation({
    id: 'deliveries.list_all',
    method: 'GET',
    path: '/deliveries',
    summary: 'List the deliveries to all webhook endpoints',
    description: 'Those of the last 30 days: all, or those of one event.',
    query: PageQuery(ListAllDeliveries),
    answer: PageOf(DeliveryObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/deliveries', present),
    verb: ({ caller, query }) =>
      listAllDeliveries(deps, caller, rangeOf('delivery', caller.mode, query), query),
  }),
  operation({
    id: 'deliveries.get',
    method: 'GET',
    path: '/deliveries/:delivery_id',
    summary: 'Get a delivery and its attempts',
    description: 'Answers what was sent to the endpoint, what it answered, and when it is tried again.',
    params: DeliveryPath,
    answer: DeliveryWithAttemptsObject,
    refuses: ['not_found'],
    present: presentWithAttempts,
    verb: ({ caller, params }) => getDelivery(deps, caller, params.delivery_id),
  }),
  operation({
    id: 'webhook_endpoints.figures',
    method: 'GET',
    path: `${endpointPath}/figures`,
    summary: 'Say how a webhook endpoint fares',
    description:
      'Exact, over its latest 1,000 deliveries and all their attempts. What cannot be told yet is null.',
    params: EndpointPath,
    answer: FiguresObject,
    refuses: ['not_found'],
    present: presentFigures,
    verb: ({ caller, params }) => getFigures(deps, caller, params.webhook_endpoint_id),
  }),
]

const sendingOperations = (deps: Deps, types: readonly EventSketch[]) => [
  operation({
    id: 'deliveries.resend',
    method: 'POST',
    path: '/deliveries/:delivery_id/resend',
    summary: 'Send a delivery again',
    description:
      'At once, before everything that waits for the endpoint, also if the endpoint was failing. The event is the same, with the same id: a receiver that has it should say so and do nothing.',
    params: DeliveryPath,
    answer: DeliveryObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    verb: ({ caller, params }) => resendDelivery(deps, caller, params.delivery_id),
  }),
  operation({
    id: 'events.resend',
    method: 'POST',
    path: '/events/:event_id/resend',
    summary: 'Send an event again',
    description:
      'To webhook endpoints that are named, also ones that it was never addressed to, or by default to those that ask for its type now or had it. Reaches back 30 days. Answers the deliveries.',
    params: ResentEventPath,
    body: ResendEvent,
    answer: PageOf(DeliveryObject),
    refuses: ['not_found', 'invalid_state', 'reference_not_found', 'conflict'],
    present: (deliveries: readonly Delivery[], { params }) =>
      presentPage(`/events/${params.event_id}/resend`, present)({ rows: deliveries, hasMore: false }),
    verb: ({ caller, params, body }) => resendEvent(deps, caller, params.event_id, body),
  }),
  operation({
    id: 'webhook_endpoints.test',
    method: 'POST',
    path: `${endpointPath}/test`,
    summary: 'Try a webhook endpoint out',
    description:
      'Sends it an event of its own in one attempt, also while it is disabled, and waits for what comes of it.',
    params: EndpointPath,
    body: TestWebhookEndpoint(types.map(({ type }) => type)),
    answer: DeliveryWithAttemptsObject,
    refuses: ['not_found', 'conflict'],
    present: presentWithAttempts,
    verb: ({ caller, params, body }) =>
      testWebhookEndpoint(deps, caller, params.webhook_endpoint_id, { type: body.type, types }),
  }),
]
