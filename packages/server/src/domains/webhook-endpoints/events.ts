import { defineEvent } from '../../platform/db/events.ts'
import { present, WebhookEndpointObject } from './schema.ts'
import type { ObservedEndpoint } from './webhook-endpoint.ts'

/** Something about an endpoint. It is told to all others: the one it speaks of may be the one that fails. */
const told = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<ObservedEndpoint>({
    type: `webhook_endpoint.${verb}`,
    about,
    schema: WebhookEndpointObject,
    present,
    example: { ...example, object: { disabled: null, ...example.object } },
    exceptEndpoint: ({ id }) => id,
  })

const at = '2026-11-14T12:00:00.000Z'
const disabled = { status: 'disabled', disabled: { reason: 'failing', at } }
const older = { id: 'webhook_secret_test_01M7CYVGQTEAKSNTBFR026MPQ1', created_at: at, expires_at: null }
const newer = { ...older, id: 'webhook_secret_test_01M7CYVT8FEAKRFKZ5XE5DM3KM' }
const failing = { state: 'open', failing_since_at: at, last_success_at: null, next_probe_at: at }

export const webhookEndpointCreated = told('created', 'A webhook endpoint was created.')

export const webhookEndpointUpdated = told(
  'updated',
  'Something about a webhook endpoint changed; `previous` holds what it was.',
  { before: { url: 'https://old.example.com/webhooks' } },
)

export const webhookEndpointDeleted = told('deleted', 'A webhook endpoint was deleted.', {
  object: { secrets: [] },
})

export const webhookEndpointEnabled = told(
  'enabled',
  'A webhook endpoint was enabled: events are sent to it again.',
  { before: disabled },
)

export const webhookEndpointDisabled = told(
  'disabled',
  'A webhook endpoint was disabled, by request or because it failed for days; `disabled.reason` says which. Its events are held.',
  { object: disabled, before: { status: 'enabled', disabled: null } },
)

export const webhookEndpointFailing = told(
  'failing',
  'A webhook endpoint has failed for an hour, a day or three days without a success.',
  { object: { health: failing } },
)

export const webhookEndpointRecovered = told(
  'recovered',
  'A webhook endpoint that was failing takes events again.',
)

export const webhookEndpointSecretRotated = told(
  'secret_rotated',
  'A webhook endpoint has a new secret; earlier ones sign until they expire.',
  {
    object: { secrets: [newer, { ...older, expires_at: '2026-11-15T12:00:00.000Z' }] },
    before: { secrets: [older] },
  },
)

/** The one that goes to the endpoint it speaks of. */
export const webhookEndpointTest = defineEvent<ObservedEndpoint>({
  type: 'webhook_endpoint.test',
  about: 'Somebody tries whether a webhook endpoint works. It goes to that endpoint alone.',
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
