/**
 * Webhooks in the OpenAPI document: one entry per event type, with its content, its headers and the expected
 * responses. Common parts are declared once, under `components`.
 */
import { type TSchema, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type EventDescription, exampleRecord } from '../db/event-example.ts'
import { inline, type SharedSchemas } from './openapi-schemas.ts'
import type { JsonObject } from './versions.ts'

export type Webhooks = {
  readonly version: string
  readonly events: readonly EventDescription[]
  /** The schema of an event, whose `data` member is a string. */
  readonly eventSchema: TSchema
}

export function describeWebhooks(webhooks: Webhooks, shared: SharedSchemas): JsonObject {
  return Object.fromEntries(
    webhooks.events.map((event) => [event.type, { post: describeWebhook(event, webhooks, shared) }]),
  )
}

function describeWebhook(event: EventDescription, webhooks: Webhooks, shared: SharedSchemas): JsonObject {
  const schema = { allOf: [inline(webhooks.eventSchema, shared), withContent(event, shared)] }
  const example = exampleBody(event, webhooks.version)
  return {
    operationId: event.type,
    tags: ['Webhooks'],
    summary: event.about,
    // Requests are authenticated by signatures, not by a token.
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: Object.fromEntries(
      Object.entries(responseNames).map(([status, name]) => [
        status,
        { $ref: `#/components/responses/${name}` },
      ]),
    ),
  }
}

/** The content of the `data` string, for every event type. */
const EventData = Type.Object(
  {
    id: IdOf('event'),
    type: Type.String({ description: 'Type of the event.', examples: ['customer.created'] }),
    created_at: CreatedAt,
    mode: OneOf(['live', 'test'], {
      description: '`live`: real money was involved. `test`: no money moved.',
    }),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Numbers the events of one object from 1, without gaps.',
    }),
    object: Type.Unsafe<object>({ type: 'object', description: 'The object after the change.' }),
    previous: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        description: 'For a change: the old values of the changed fields.',
      }),
    ),
    request: nullable(
      Type.Object(
        {
          id: IdOf('request'),
          idempotency_key: nullable(
            Type.String({ description: 'Idempotency key of the request. Null if there was none.' }),
          ),
        },
        { description: 'API request that caused the change. Null if it was not caused by a request.' },
      ),
    ),
    test_clock: Type.Optional(
      Type.Object(
        { id: IdOf('test_clock'), now_at: { ...Time, description: 'Time of the test clock.' } },
        { description: 'If the event occurred on a test clock: the clock and its time.' },
      ),
    ),
  },
  { $id: 'EventData', description: 'Content of `data` of an event.' },
)

function withContent({ type, schema }: EventDescription, shared: SharedSchemas): JsonObject {
  const typeSpecific = {
    type: 'object',
    properties: { type: { const: type }, object: inline(schema, shared) },
  }
  const contentSchema = { allOf: [inline(EventData, shared), typeSpecific] }
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema }
  return { type: 'object', properties: { type: { const: type }, data } }
}

function exampleBody(event: EventDescription, version: string): JsonObject {
  const { id, type, createdAt, apiVersion, data } = exampleRecord(event, version)
  const created_at = createdAt.toISOString()
  return { id, object: 'event', type, created_at, api_version: apiVersion, pending_deliveries: 1, data }
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

/** For `components.parameters`. */
export const webhookHeaders = {
  'Signature-Digest': header(
    'signature-digest',
    'Hexadecimal HMAC-SHA256 of `<t>.<data>`. The key is the whole secret string. There is one `v1` for each active secret, newest first. `t` is the time the event was created, in Unix seconds; it is the same on every attempt.',
    't=1794657600,v1=9eacd489396fbe180a3605dc33b96f596f3f11872ee2c1d387ee3524f91c4254',
  ),
  'Webhook-Id': header(
    'webhook-id',
    'ID of the event. It is the same on every attempt.',
    'event_test_01M7CYVT8FEAKRFKZ5XE5DM3KM',
  ),
  'Webhook-Timestamp': header('webhook-timestamp', 'Time of this attempt, in Unix seconds.', '1794657600'),
  'Webhook-Signature': header(
    'webhook-signature',
    'Base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, as defined by Standard Webhooks. The key is the decoded part of the secret after `whsec_`. There is one `v1` for each active secret, newest first.',
    'v1,6kbNHGQxmY5GFT8xNs0mKrLy2yypMY7O/pxLZjbcVmQ=',
  ),
  'Switchyard-Delivery': header(
    'switchyard-delivery',
    'ID of the delivery, for `GET /deliveries/{delivery_id}`.',
    'delivery_test_01M7CYVT8FEAKRFKZ5XE5DM3KM',
  ),
  'Switchyard-Attempt': header(
    'switchyard-attempt',
    'Number of the attempt within the delivery, starting at 1.',
    '1',
  ),
}

const responseNames = {
  '2XX': 'WebhookReceived',
  '410': 'WebhookGone',
  '429': 'WebhookLater',
  '503': 'WebhookLater',
  default: 'WebhookFailed',
}

/** For `components.responses`. */
export const webhookResponses = {
  WebhookReceived: {
    description:
      'Received. Respond within `timeout_seconds` of the endpoint, and do longer work afterwards. The response body is only logged.',
  },
  WebhookGone: {
    description: 'The endpoint no longer exists: it is disabled, and its deliveries are held.',
  },
  WebhookLater: {
    description:
      'With `Retry-After`: nothing is sent to the endpoint until then, for at most one day, and the attempt does not count as a failure of the endpoint. Without it, the attempt is a normal failure.',
    headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
  },
  WebhookFailed: {
    description:
      'Any other status is a failure and is retried later, including redirects, which are not followed. A timeout is also a failure.',
  },
}
