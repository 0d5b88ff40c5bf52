import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { OneOf } from '../../../kernel/shapes.ts'
import { operation } from '../../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
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
import { type EventDescription, testWebhookEndpoint } from './service/test-event.ts'

const endpointPath = '/webhook-endpoints/:webhook_endpoint_id'

/** The states that have an index. Filtering by other states would read many rows that do not match. */
const state = Type.Optional(OneOf(['held', 'exhausted'], { description: 'Only deliveries in this state.' }))

export const deliveryOperations = (deps: Deps, types: readonly EventDescription[]) => [
  ...readingOperations(deps),
  ...sendingOperations(deps, types),
]

const readingOperations = (deps: Deps) => [
  operation({
    id: 'deliveries.list',
    method: 'GET',
    path: `${endpointPath}/deliveries`,
    summary: 'List the deliveries of a webhook endpoint',
    description:
      'Returns the deliveries of the last 30 days. Can be filtered by the states `held` and `exhausted`.',
    params: EndpointPath,
    query: PageQuery({ state }),
    response: PageOf(DeliveryObject),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Page<Delivery>, { params }) =>
      presentPage(`/webhook-endpoints/${params.webhook_endpoint_id}/deliveries`, present)(page),
    handle: ({ caller, params, query }) =>
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
    description: 'Returns the deliveries of the last 30 days. Can be filtered by event.',
    query: PageQuery(ListAllDeliveries),
    response: PageOf(DeliveryObject),
    errors: ['invalid_cursor'],
    present: presentPage('/deliveries', present),
    handle: ({ caller, query }) =>
      listAllDeliveries(deps, caller, rangeOf('delivery', caller.mode, query), query),
  }),
  operation({
    id: 'deliveries.get',
    method: 'GET',
    path: '/deliveries/:delivery_id',
    summary: 'Get a delivery and its attempts',
    description:
      'Returns the requests that were sent to the endpoint, its responses and the time of the next attempt. Only the ADMIN role sees the signatures.',
    params: DeliveryPath,
    response: DeliveryWithAttemptsObject,
    errors: ['not_found'],
    present: presentWithAttempts,
    handle: ({ caller, params }) => getDelivery(deps, caller, params.delivery_id),
  }),
  operation({
    id: 'webhook_endpoints.figures',
    method: 'GET',
    path: `${endpointPath}/figures`,
    summary: 'Get delivery statistics of a webhook endpoint',
    description:
      'Returns exact statistics over the latest 1,000 deliveries and all their attempts. Values that are not known yet are null.',
    params: EndpointPath,
    response: FiguresObject,
    errors: ['not_found'],
    present: presentFigures,
    handle: ({ caller, params }) => getFigures(deps, caller, params.webhook_endpoint_id),
  }),
]

const sendingOperations = (deps: Deps, types: readonly EventDescription[]) => [
  operation({
    id: 'deliveries.resend',
    method: 'POST',
    path: '/deliveries/:delivery_id/resend',
    summary: 'Resend a delivery',
    description:
      'Sends the delivery immediately, before other pending deliveries and even if the endpoint is failing. The event has the same ID, so a receiver that has already processed it should acknowledge it and do nothing.',
    params: DeliveryPath,
    response: DeliveryObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params }) => resendDelivery(deps, caller, params.delivery_id),
  }),
  operation({
    id: 'events.resend',
    method: 'POST',
    path: '/events/:event_id/resend',
    summary: 'Resend an event',
    description:
      'Sends the event to the given webhook endpoints, even if it was never sent to them. Default: the endpoints that subscribe to its type now or have already received it. Events of the last 30 days can be resent. Returns the deliveries.',
    params: ResentEventPath,
    body: ResendEvent,
    response: PageOf(DeliveryObject),
    errors: ['not_found', 'invalid_state', 'reference_not_found', 'conflict'],
    present: (deliveries: readonly Delivery[], { params }) =>
      presentPage(`/events/${params.event_id}/resend`, present)({ rows: deliveries, hasMore: false }),
    handle: ({ caller, params, body }) => resendEvent(deps, caller, params.event_id, body),
  }),
  operation({
    id: 'webhook_endpoints.test',
    method: 'POST',
    path: `${endpointPath}/test`,
    summary: 'Send a test event to a webhook endpoint',
    description:
      'Sends a test event in a single attempt, even if the endpoint is disabled, and waits for the result.',
    params: EndpointPath,
    body: TestWebhookEndpoint(types.map(({ type }) => type)),
    response: DeliveryWithAttemptsObject,
    errors: ['not_found', 'conflict'],
    present: presentWithAttempts,
    handle: ({ caller, params, body }) =>
      testWebhookEndpoint(deps, caller, params.webhook_endpoint_id, { type: body.type, types }),
  }),
]
