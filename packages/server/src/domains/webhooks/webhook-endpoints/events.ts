import { defineEvent } from '../../../platform/db/events.ts'
import { present, WebhookEndpointObject } from './schema.ts'
import type { EndpointDetails } from './webhook-endpoint.ts'

/**
 * Events about an endpoint are sent only to the other endpoints, since the endpoint itself may be failing.
 */
const endpointEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<EndpointDetails>({
    type: `webhook_endpoint.${verb}`,
    about,
    schema: WebhookEndpointObject,
    present,
    example: { ...example, object: { disabled: null, ...example.object } },
    exceptEndpoint: ({ id }) => id,
  })

const at = '2026-11-14T12:00:00.000Z'
const disabled = { status: 'disabled', disabled: { reason: 'failing', at } }
const oldSecret = { id: 'webhook_secret_test_01M7CYVGQTEAKSNTBFR026MPQ1', created_at: at, expires_at: null }
const newSecret = { ...oldSecret, id: 'webhook_secret_test_01M7CYVT8FEAKRFKZ5XE5DM3KM' }
const openBreaker = { state: 'open', failing_since_at: at, last_success_at: null, next_probe_at: at }

export const webhookEndpointCreated = endpointEvent('created', 'A webhook endpoint was created.')

export const webhookEndpointUpdated = endpointEvent(
  'updated',
  'A webhook endpoint was updated. `previous` contains the old values.',
  { before: { url: 'https://old.example.com/webhooks' } },
)

export const webhookEndpointDeleted = endpointEvent('deleted', 'A webhook endpoint was deleted.', {
  object: { secrets: [] },
})

export const webhookEndpointEnabled = endpointEvent(
  'enabled',
  'A webhook endpoint was enabled. Events are sent to it again.',
  { before: disabled },
)

export const webhookEndpointDisabled = endpointEvent(
  'disabled',
  'A webhook endpoint was disabled: on request, because it failed for days, or because it responded with 410. `disabled.reason` shows which. Its events are held.',
  { object: disabled, before: { status: 'enabled', disabled: null } },
)

export const webhookEndpointFailing = endpointEvent(
  'failing',
  'A webhook endpoint has failed for an hour, a day or three days without a success.',
  { object: { health: openBreaker } },
)

export const webhookEndpointRecovered = endpointEvent(
  'recovered',
  'A failing webhook endpoint recovered and accepts events again.',
)

export const webhookEndpointSecretRotated = endpointEvent(
  'secret_rotated',
  'A webhook endpoint has a new signing secret. Requests are also signed with earlier secrets until they expire.',
  {
    object: { secrets: [newSecret, { ...oldSecret, expires_at: '2026-11-15T12:00:00.000Z' }] },
    before: { secrets: [oldSecret] },
  },
)

/** The only event that is sent to the endpoint it is about. */
export const webhookEndpointTest = defineEvent<EndpointDetails>({
  type: 'webhook_endpoint.test',
  about: 'A test event, sent on request to a single webhook endpoint.',
  schema: WebhookEndpointObject,
  present,
  example: { object: { disabled: null } },
})

export const webhookEndpointEvents = [
  webhookEndpointCreated,
  webhookEndpointUpdated,
  webhookEndpointDeleted,
  webhookEndpointEnabled,
  webhookEndpointDisabled,
  webhookEndpointFailing,
  webhookEndpointRecovered,
  webhookEndpointSecretRotated,
  webhookEndpointTest,
]
