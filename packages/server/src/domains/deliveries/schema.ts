import { type Static, Type } from 'typebox'
import { timeOf } from '../../kernel/id.ts'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type Attempt, type Delivery, deliveryStates, outcomes, triggers } from './delivery.ts'
import type { Figures } from './figures.ts'

const eventType = Type.String({
  description: 'The type of the event.',
  examples: ['customer.created'],
  loggable: true,
})
const outcome = OneOf(outcomes, {
  description: 'What became of the attempt. `ok` is any 2xx; everything else is a failure.',
})
const httpStatus = nullable(
  Type.Integer({ description: 'The status of the receiver; null if it did not answer.', examples: [200] }),
)

const members = {
  id: IdOf('delivery'),
  object: Type.Literal('delivery'),
  event_id: IdOf('event'),
  event_type: eventType,
  webhook_endpoint_id: IdOf('webhook_endpoint'),
  state: OneOf(deliveryStates, {
    description:
      '`pending`: it goes out, or will be tried again. `held`: the endpoint is disabled. `exhausted`: every attempt failed. `deleted`: the endpoint was deleted before.',
  }),
  tries: Type.Integer({
    description: 'Attempts of this round. A resend or a recovery begins a new one.',
    examples: [1],
  }),
  attempts_made: Type.Integer({ description: 'All attempts there ever were.', examples: [1] }),
  next_attempt_at: mostlyNull({ ...Time, description: 'When it is tried next, while it is pending.' }),
  last_outcome: nullable(outcome),
  last_status: httpStatus,
  settled_at: mostlyNull({ ...Time, description: 'When it was delivered, or given up.' }),
  created_at: Time,
}

export const DeliveryObject = Type.Object(members, {
  $id: 'Delivery',
  description: 'One event on its way to one endpoint.',
})

export const ListAllDeliveries = {
  event_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only deliveries of this event.' })),
}

const milliseconds = (description: string) => nullable(Type.Integer({ description, examples: [3] }))

const AttemptObject = Type.Object(
  {
    number: Type.Integer({ description: 'Counts the attempts of the delivery.', examples: [1] }),
    trigger: OneOf(triggers, {
      description: 'Why it was made: `probe` looks whether a receiver that had failed is back.',
    }),
    started_at: Time,
    duration_ms: Type.Integer({
      description: 'From the first step to the end of the answer.',
      examples: [42],
    }),
    dns_ms: milliseconds('Finding the address. Null if a connection was reused, or it did not come to this.'),
    connect_ms: milliseconds('Connecting.'),
    tls_ms: milliseconds('Agreeing on encryption.'),
    first_byte_ms: milliseconds('From the request to the first byte of the answer.'),
    connection_reused: Type.Boolean({
      description: 'Whether it went over a connection that was open already.',
      examples: [false],
    }),
    outcome,
    status: httpStatus,
    remote_ip: nullable(Type.String({ description: 'The address that was called.' })),
    detail: nullable(Type.String({ description: 'What went wrong, in a sentence.' })),
    response_headers: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'What the receiver answered, up to 2 KB.',
    }),
    response_body: nullable(
      Type.String({
        description: 'What the receiver answered: up to 8 KB of a failure, 512 bytes of a success.',
      }),
    ),
    request_headers: Type.Object(
      {
        'signature-digest': Type.String({ description: 'The signature of `data`.' }),
        'webhook-id': Type.String({ description: 'The id of the event.', loggable: true }),
        'webhook-timestamp': Type.String({ description: 'When it was sent, in seconds.', loggable: true }),
        'webhook-signature': Type.String({ description: 'The signature of the body, by Standard Webhooks.' }),
      },
      { description: 'What was sent beside the event.' },
    ),
    secret_ids: Type.Array(IdOf('webhook_secret'), { description: 'The secrets that signed it.' }),
    next_attempt_at: mostlyNull(Time),
    worker: Type.String({ description: 'The process that made it.', loggable: true }),
  },
  { $id: 'DeliveryAttempt', description: 'One request to the endpoint, and what came back.' },
)

export const DeliveryWithAttemptsObject = Type.Object(
  {
    ...members,
    attempts: Type.Array(AttemptObject, { description: 'The latest 50 attempts, the first of them first.' }),
  },
  { $id: 'DeliveryWithAttempts', description: 'A delivery with what was tried.' },
)

export const FiguresObject = Type.Object(
  {
    object: Type.Literal('webhook_endpoint_figures'),
    webhook_endpoint_id: IdOf('webhook_endpoint'),
    since_at: mostlyNull({
      ...Time,
      description: 'When the oldest delivery that is counted here came to be.',
    }),
    deliveries: Type.Integer({ description: 'How many are counted: the latest 1,000, or all there are.' }),
    delivered: Type.Integer({ description: 'Those that the receiver took.' }),
    delivered_first_try: Type.Integer({ description: 'Those that it took at the first attempt.' }),
    failed: Type.Integer({ description: 'Those that were given up: `exhausted`.' }),
    waiting: Type.Integer({ description: 'Those that are `pending` or `held`.' }),
    attempts: Type.Integer({ description: 'All attempts of these deliveries.' }),
    success_rate: nullable(
      Type.Number({ description: 'Attempts that succeeded, of all: from 0 to 1.', examples: [0.9987] }),
    ),
    p50_ms: nullable(Type.Integer({ description: 'Half of the successful attempts took no longer.' })),
    p95_ms: nullable(Type.Integer({ description: '95 of 100 successful attempts took no longer.' })),
    outcomes: Type.Object(
      Object.fromEntries(
        outcomes.map((name) => [
          name,
          Type.Integer({ description: `How many attempts ended with \`${name}\`.`, examples: [0] }),
        ]),
      ),
      {
        description: 'Attempts by what became of them.',
      },
    ),
    next_attempt_at: nullable({
      ...Time,
      description: 'When the pending delivery that is first in turn is due, or since when it has been.',
    }),
  },
  { $id: 'WebhookEndpointFigures', description: 'How the latest deliveries to an endpoint fared.' },
)

export { WebhookEndpointPath as EndpointPath } from '../webhook-endpoints/schema.ts'
export const DeliveryPath = Type.Object({ delivery_id: IdOf('delivery') })
export const ResentEventPath = Type.Object({ event_id: IdOf('event') })

export const ResendEvent = Type.Object(
  {
    webhook_endpoint_ids: Type.Optional(
      Type.Array(IdOf('webhook_endpoint'), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description:
          'To these, whatever they ask for. Without it: to the enabled ones that ask for the type now, and those that had the event.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ResendEvent = Static<typeof ResendEvent>

/** Of the types that there are. */
export const TestWebhookEndpoint = (types: readonly string[]) =>
  Type.Object(
    {
      type: Type.Optional(
        OneOf(types, {
          default: 'webhook_endpoint.test',
          description:
            'The type to send a sample of. In the live environment only `webhook_endpoint.test`, so that no sample looks like money.',
        }),
      ),
    },
    { additionalProperties: false },
  )

export function present(delivery: Delivery): Static<typeof DeliveryObject> {
  return {
    id: delivery.id,
    object: 'delivery',
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    webhook_endpoint_id: delivery.webhookEndpointId,
    state: delivery.state,
    tries: delivery.tries,
    attempts_made: delivery.attempts,
    next_attempt_at: delivery.state === 'pending' ? delivery.dueAt.toISOString() : null,
    last_outcome: delivery.lastOutcome,
    last_status: delivery.lastStatus,
    settled_at: delivery.settledAt?.toISOString() ?? null,
    // It was made with its event, and its id carries that instant.
    created_at: timeOf(delivery.id).toISOString(),
  }
}

export function presentWithAttempts(told: {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
}): Static<typeof DeliveryWithAttemptsObject> {
  const { delivery, attempts } = told
  return { ...present(delivery), attempts: attempts.map((attempt) => presentAttempt(delivery, attempt)) }
}

function presentAttempt(delivery: Delivery, attempt: Attempt): Static<typeof AttemptObject> {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    connection_reused: attempt.connectionReused,
    outcome: attempt.outcome,
    status: attempt.status,
    remote_ip: attempt.remoteIp,
    detail: attempt.detail,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    request_headers: {
      'signature-digest': attempt.signatureDigest,
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(attempt.webhookTimestamp),
      'webhook-signature': attempt.webhookSignature,
    },
    secret_ids: [...attempt.secretIds],
    next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
    worker: attempt.worker,
  }
}

export function presentFigures(told: {
  readonly endpointId: string
  readonly figures: Figures
}): Static<typeof FiguresObject> {
  const { endpointId, figures } = told
  return {
    object: 'webhook_endpoint_figures',
    webhook_endpoint_id: endpointId,
    since_at: figures.sinceAt?.toISOString() ?? null,
    deliveries: figures.deliveries,
    delivered: figures.delivered,
    delivered_first_try: figures.deliveredFirstTry,
    failed: figures.failed,
    waiting: figures.waiting,
    attempts: figures.attempts,
    success_rate: figures.successRate,
    p50_ms: figures.p50Ms,
    p95_ms: figures.p95Ms,
    outcomes: figures.outcomes,
    next_attempt_at: figures.nextAttemptAt?.toISOString() ?? null,
  }
}
