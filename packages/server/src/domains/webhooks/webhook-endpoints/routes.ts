import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  EnableWebhookEndpoint,
  present,
  presentDeleted,
  presentRevealed,
  RevealedEndpointObject,
  RotateSecret,
  UpdateWebhookEndpoint,
  WebhookEndpointObject,
  WebhookEndpointPath,
} from './schema.ts'
import { revealSecret, rotateSecret } from './service/secrets.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from './service.ts'
import type { EndpointDetails } from './webhook-endpoint.ts'

const path = '/webhook-endpoints/:webhook_endpoint_id'
const version = (endpoint: EndpointDetails) => endpoint.version

export const webhookEndpointOperations = (deps: Deps, eventTypes: readonly { readonly type: string }[]) => {
  const types = eventTypes.map(({ type }) => type)
  return [...settingsOperations(deps, types), ...statusOperations(deps), ...secretOperations(deps)]
}

const settingsOperations = (deps: Deps, types: readonly string[]) => [
  operation({
    id: 'webhook_endpoints.create',
    method: 'POST',
    path: '/webhook-endpoints',
    summary: 'Create a webhook endpoint',
    description:
      'Sends events of the subscribed types to the URL, signed with a secret of the endpoint. A workspace can have at most 20 webhook endpoints.',
    body: CreateWebhookEndpoint(types),
    status: 201,
    response: WebhookEndpointObject,
    errors: ['conflict', 'limit_reached', 'url_not_allowed'],
    present,
    version,
    handle: ({ caller, body }) => createWebhookEndpoint(deps, caller, body),
  }),
  operation({
    id: 'webhook_endpoints.list',
    method: 'GET',
    path: '/webhook-endpoints',
    summary: 'List webhook endpoints',
    description: 'Returns webhook endpoints, newest first. Secrets are not included.',
    query: PageQuery({}),
    response: PageOf(WebhookEndpointObject),
    errors: ['invalid_cursor'],
    present: presentPage('/webhook-endpoints', present),
    handle: ({ caller, query }) =>
      listWebhookEndpoints(deps, caller, rangeOf('webhook_endpoint', caller.mode, query)),
  }),
  operation({
    id: 'webhook_endpoints.get',
    method: 'GET',
    path,
    summary: 'Get a webhook endpoint',
    description: 'Returns a webhook endpoint with its health. The secret is not included.',
    params: WebhookEndpointPath,
    response: WebhookEndpointObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getWebhookEndpoint(deps, caller, params.webhook_endpoint_id),
  }),
  operation({
    id: 'webhook_endpoints.update',
    method: 'PUT',
    path,
    summary: 'Update a webhook endpoint',
    description:
      'Omitted fields are unchanged; `null` clears a field. A new URL resets the health of the endpoint, and pending deliveries are sent immediately.',
    params: WebhookEndpointPath,
    body: UpdateWebhookEndpoint(types),
    response: WebhookEndpointObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'url_not_allowed'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateWebhookEndpoint(deps, caller, params.webhook_endpoint_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'webhook_endpoints.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a webhook endpoint',
    description: 'Pending deliveries are no longer sent. Repeated calls return the same result.',
    params: WebhookEndpointPath,
    response: DeletedWebhookEndpoint,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present: presentDeleted,
    handle: ({ caller, params, ifMatch }) =>
      deleteWebhookEndpoint(deps, caller, params.webhook_endpoint_id, ifMatch),
  }),
]

const statusOperations = (deps: Deps) => [
  operation({
    id: 'webhook_endpoints.enable',
    method: 'POST',
    path: `${path}/enable`,
    summary: 'Enable a webhook endpoint',
    description:
      'Sends the events that were held while the endpoint was disabled, unless `recover` is `none`.',
    params: WebhookEndpointPath,
    body: EnableWebhookEndpoint,
    response: WebhookEndpointObject,
    errors: ['not_found', 'conflict'],
    present,
    version,
    handle: ({ caller, params, body }) =>
      enableWebhookEndpoint(deps, caller, params.webhook_endpoint_id, body),
  }),
  operation({
    id: 'webhook_endpoints.disable',
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable a webhook endpoint',
    description: 'Holds events for 30 days and sends them when the endpoint is enabled again.',
    params: WebhookEndpointPath,
    response: WebhookEndpointObject,
    errors: ['not_found', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => disableWebhookEndpoint(deps, caller, params.webhook_endpoint_id),
  }),
]

const secretOperations = (deps: Deps) => [
  operation({
    id: 'webhook_endpoints.reveal_secret',
    method: 'GET',
    path: `${path}/reveal_secret`,
    summary: 'Reveal the signing secret of a webhook endpoint',
    description:
      'Returns the endpoint with its newest secret. Only the age of earlier secrets is shown. Each call is recorded in the audit log.',
    params: WebhookEndpointPath,
    response: RevealedEndpointObject,
    errors: ['not_found', 'conflict'],
    limit: { perMinute: 10 },
    present: presentRevealed,
    version,
    handle: ({ caller, params }) => revealSecret(deps, caller, params.webhook_endpoint_id),
  }),
  operation({
    id: 'webhook_endpoints.rotate_secret',
    method: 'POST',
    path: `${path}/rotate_secret`,
    summary: 'Rotate the signing secret of a webhook endpoint',
    description:
      'The new secret is used immediately. Requests are also signed with earlier secrets for `overlap_seconds`, one day by default. Use `reveal_secret` to get the new secret.',
    params: WebhookEndpointPath,
    body: RotateSecret,
    response: WebhookEndpointObject,
    errors: ['not_found', 'conflict', 'too_many_secrets'],
    present,
    version,
    handle: ({ caller, params, body }) => rotateSecret(deps, caller, params.webhook_endpoint_id, body),
  }),
]
