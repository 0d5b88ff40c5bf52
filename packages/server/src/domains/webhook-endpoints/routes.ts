import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
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
import type { ObservedEndpoint } from './webhook-endpoint.ts'

const path = '/webhook-endpoints/:webhook_endpoint_id'
const version = (endpoint: ObservedEndpoint) => endpoint.version

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
      'Events of the types it asks for are sent to its address from now on, signed with a secret of its own. A workspace has at most 20.',
    body: CreateWebhookEndpoint(types),
    status: 201,
    answer: WebhookEndpointObject,
    refuses: ['conflict', 'limit_reached', 'url_not_allowed'],
    present,
    version,
    verb: ({ caller, body }) => createWebhookEndpoint(deps, caller, body),
  }),
  operation({
    id: 'webhook_endpoints.list',
    method: 'GET',
    path: '/webhook-endpoints',
    summary: 'List webhook endpoints',
    description: 'Newest first. Secrets are not shown.',
    query: PageQuery({}),
    answer: PageOf(WebhookEndpointObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/webhook-endpoints', present),
    verb: ({ caller, query }) =>
      listWebhookEndpoints(deps, caller, rangeOf('webhook_endpoint', caller.mode, query)),
  }),
  operation({
    id: 'webhook_endpoints.get',
    method: 'GET',
    path,
    summary: 'Get a webhook endpoint',
    description: 'Answers one endpoint with its health, without its secret.',
    params: WebhookEndpointPath,
    answer: WebhookEndpointObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getWebhookEndpoint(deps, caller, params.webhook_endpoint_id),
  }),
  operation({
    id: 'webhook_endpoints.update',
    method: 'PUT',
    path,
    summary: 'Change a webhook endpoint',
    description:
      'Members that are not sent stay as they are, null clears. A new address begins with a clean record: what waits is tried at once.',
    params: WebhookEndpointPath,
    body: UpdateWebhookEndpoint(types),
    answer: WebhookEndpointObject,
    refuses: ['not_found', 'conflict', 'version_mismatch', 'url_not_allowed'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updateWebhookEndpoint(deps, caller, params.webhook_endpoint_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'webhook_endpoints.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a webhook endpoint',
    description: 'What still waits for it is not sent any more. Repeating it answers the same.',
    params: WebhookEndpointPath,
    answer: DeletedWebhookEndpoint,
    refuses: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present: presentDeleted,
    verb: ({ caller, params, ifMatch }) =>
      deleteWebhookEndpoint(deps, caller, params.webhook_endpoint_id, ifMatch),
  }),
]

const statusOperations = (deps: Deps) => [
  operation({
    id: 'webhook_endpoints.enable',
    method: 'POST',
    path: `${path}/enable`,
    summary: 'Enable a webhook endpoint',
    description: 'What was held while it was disabled is sent now, unless `recover` is `none`.',
    params: WebhookEndpointPath,
    body: EnableWebhookEndpoint,
    answer: WebhookEndpointObject,
    refuses: ['not_found', 'conflict'],
    present,
    version,
    verb: ({ caller, params, body }) => enableWebhookEndpoint(deps, caller, params.webhook_endpoint_id, body),
  }),
  operation({
    id: 'webhook_endpoints.disable',
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable a webhook endpoint',
    description: 'Nothing is lost: its events are held for 30 days, and sent when it is enabled.',
    params: WebhookEndpointPath,
    answer: WebhookEndpointObject,
    refuses: ['not_found', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => disableWebhookEndpoint(deps, caller, params.webhook_endpoint_id),
  }),
]

const secretOperations = (deps: Deps) => [
  operation({
    id: 'webhook_endpoints.reveal_secret',
    method: 'GET',
    path: `${path}/reveal_secret`,
    summary: 'Show the signing secret of a webhook endpoint',
    description:
      'The endpoint with its newest secret. Earlier ones are shown by age alone. Each call is in the audit log.',
    params: WebhookEndpointPath,
    answer: RevealedEndpointObject,
    refuses: ['not_found', 'conflict'],
    limit: { perMinute: 10 },
    present: presentRevealed,
    version,
    verb: ({ caller, params }) => revealSecret(deps, caller, params.webhook_endpoint_id),
  }),
  operation({
    id: 'webhook_endpoints.rotate_secret',
    method: 'POST',
    path: `${path}/rotate_secret`,
    summary: 'Give a webhook endpoint a new signing secret',
    description:
      'The new secret signs at once; earlier ones sign beside it for `overlap_seconds`, a day by default. `reveal_secret` shows its text.',
    params: WebhookEndpointPath,
    body: RotateSecret,
    answer: WebhookEndpointObject,
    refuses: ['not_found', 'conflict', 'too_many_secrets'],
    present,
    version,
    verb: ({ caller, params, body }) => rotateSecret(deps, caller, params.webhook_endpoint_id, body),
  }),
]
