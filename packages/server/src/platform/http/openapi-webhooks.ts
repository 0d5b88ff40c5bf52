/**
 * What receivers get, for the OpenAPI document: one entry per type of event, with its content, its headers
 * and the answers that are understood. What all of them share stands once, under `components`.
 */
import { type TSchema, Type } from 'typebox'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type EventSketch, exampleRecord } from '../db/event-example.ts'
import { inline, type SharedSchemas } from './openapi-schemas.ts'
import type { JsonObject } from './versions.ts'

export type Webhooks = {
  readonly version: string
  readonly events: readonly EventSketch[]
  /** The envelope. */
  readonly eventSchema: TSchema
}

export function describeWebhooks(webhooks: Webhooks, shared: SharedSchemas): JsonObject {
  return Object.fromEntries(
    webhooks.events.map((event) => [event.type, { post: describeWebhook(event, webhooks, shared) }]),
  )
}

function describeWebhook(event: EventSketch, webhooks: Webhooks, shared: SharedSchemas): JsonObject {
  const schema = { allOf: [inline(webhooks.eventSchema, shared), withContent(event, shared)] }
  const example = exampleBody(event, webhooks.version)
  return {
    operationId: event.type,
    tags: ['Webhooks'],
    summary: event.about,
    description,
    // The signatures are the proof, not a token.
    security: [],
    parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
  }
}

const description =
  'Verify a signature before you trust the body. The same event may come more than once and in any order: skip ids that you know, and what is not newer by `sequence`.'

/** What the text `data` holds, whatever happened. */
const EventData = Type.Object(
  {
    id: IdOf('event'),
    type: Type.String({ description: 'What happened.', examples: ['customer.created'] }),
    created_at: Time,
    mode: OneOf(['live', 'test'], { description: 'Whether real money moved.' }),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Counts the events of one object from 1, without a gap.',
    }),
    object: Type.Unsafe<object>({ type: 'object', description: 'The object after the change.' }),
    previous: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        description: 'On a change: the members that changed, as they were before.',
      }),
    ),
    request: nullable(
      Type.Object(
        {
          id: IdOf('request'),
          idempotency_key: nullable(Type.String({ description: 'The key of that call.' })),
        },
        { description: 'The call that made the change; null if nobody called.' },
      ),
    ),
    test_clock: Type.Optional(
      Type.Object(
        { id: IdOf('test_clock'), now_at: Time },
        { description: 'If it happened in the time of a test clock: which one, and what time it was there.' },
      ),
    ),
  },
  { $id: 'EventData', description: 'What the text in `data` of an event holds.' },
)

function withContent({ type, schema }: EventSketch, shared: SharedSchemas): JsonObject {
  const own = { type: 'object', properties: { type: { const: type }, object: inline(schema, shared) } }
  const contentSchema = { allOf: [inline(EventData, shared), own] }
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema }
  return { type: 'object', properties: { type: { const: type }, data } }
}

function exampleBody(event: EventSketch, version: string): JsonObject {
  const { id, type, createdAt, apiVersion, data } = exampleRecord(event, version)
  const created_at = createdAt.toISOString()
  return { id, object: 'event', type, created_at, api_version: apiVersion, pending_deliveries: 1, data }
}

const header = (name: string, about: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description: about,
  schema: { type: 'string', examples: [example] },
})

/** For `components.parameters`. */
export const webhookHeaders = {
  'Signature-Digest': header(
    'signature-digest',
    'HMAC with SHA-256 of `<t>.<data>`, in hexadecimal, keyed with the whole text of the secret: one `v1` for every secret that is live, the newest first. `t` is when the event was created, in seconds; it is the same on every attempt.',
    't=1794657600,v1=9eacd489396fbe180a3605dc33b96f596f3f11872ee2c1d387ee3524f91c4254',
  ),
  'Webhook-Id': header(
    'webhook-id',
    'The id of the event, the same on every attempt.',
    'event_test_01M7CYVT8FEAKRFKZ5XE5DM3KM',
  ),
  'Webhook-Timestamp': header('webhook-timestamp', 'When this attempt was made, in seconds.', '1794657600'),
  'Webhook-Signature': header(
    'webhook-signature',
    'HMAC with SHA-256 of `<webhook-id>.<webhook-timestamp>.<body>`, in base64, keyed with the bytes behind `whsec_`, as Standard Webhooks has it: one `v1` for every secret that is live, the newest first.',
    'v1,6kbNHGQxmY5GFT8xNs0mKrLy2yypMY7O/pxLZjbcVmQ=',
  ),
  'Switchyard-Delivery': header(
    'switchyard-delivery',
    'The id of the delivery, for `GET /deliveries/{delivery_id}`.',
    'delivery_test_01M7CYVT8FEAKRFKZ5XE5DM3KM',
  ),
  'Switchyard-Attempt': header('switchyard-attempt', 'Which attempt of this delivery it is, from 1.', '1'),
}

const answers = {
  '2XX': 'WebhookReceived',
  '410': 'WebhookGone',
  '429': 'WebhookLater',
  '503': 'WebhookLater',
  default: 'WebhookFailed',
}

/** For `components.responses`. */
export const webhookAnswers = {
  WebhookReceived: {
    description:
      'Received. Answer within `timeout_seconds` of the endpoint, and do what takes longer afterwards. The body of the answer is only logged.',
  },
  WebhookGone: {
    description: 'There is nobody here any more: the endpoint is disabled, and its deliveries are held.',
  },
  WebhookLater: {
    description:
      'With `Retry-After`: nothing is sent to the endpoint until then, for a day at most, and it does not count as a fault of the endpoint. Without it, a failure like any other.',
    headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
  },
  WebhookFailed: {
    description:
      'Anything else is a failure and tried again later, redirects too: they are not followed. So is no answer in time.',
  },
}
