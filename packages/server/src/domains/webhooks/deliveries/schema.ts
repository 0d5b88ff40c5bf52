import { type Static, Type } from 'typebox'
import type { Authority } from '../../../kernel/caller.ts'
import { timeOf } from '../../../kernel/id.ts'
import { CreatedAt, IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { type Attempt, type Delivery, deliveryStates, outcomes, triggers } from './delivery.ts'
import type { Figures } from './figures.ts'

const eventType = Type.String({
  description: 'Type of the event.',
  examples: ['customer.created'],
  loggable: true,
})
const outcome = OneOf(outcomes, {
  description: 'Outcome of the attempt. `ok` is any 2xx status; everything else is a failure.',
})
const httpStatus = nullable(
  Type.Integer({ description: 'HTTP status of the response. Null if there was none.', examples: [200] }),
)

const members = {
  id: IdOf('delivery'),
  object: Type.Literal('delivery'),
  event_id: IdOf('event'),
  event_type: eventType,
  webhook_endpoint_id: IdOf('webhook_endpoint'),
  state: OneOf(deliveryStates, {
    description:
      '`pending`: the delivery is being sent or will be retried. `held`: the endpoint is disabled. `exhausted`: every attempt failed. `deleted`: the endpoint was deleted before the event was delivered.',
  }),
  tries: Type.Integer({
    description: 'Attempts in the current round. A resend or a recovery starts a new round.',
    examples: [1],
  }),
  attempts_made: Type.Integer({ description: 'Total number of attempts.', examples: [1] }),
  next_attempt_at: nullableWithNullExample({
    ...Time,
    description: 'Time of the next attempt. Null if the delivery is not pending.',
  }),
  last_outcome: nullable(outcome),
  last_status: httpStatus,
  settled_at: nullableWithNullExample({
    ...Time,
    description: 'Time the delivery succeeded or was abandoned. Null before that.',
  }),
  created_at: CreatedAt,
}

export const DeliveryObject = Type.Object(members, {
  $id: 'Delivery',
  description: 'The delivery of one event to one webhook endpoint.',
})

export const ListAllDeliveries = {
  event_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only deliveries of this event.' })),
}

const milliseconds = (description: string) => nullable(Type.Integer({ description, examples: [3] }))

const AttemptObject = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the attempt within the delivery.', examples: [1] }),
    trigger: OneOf(triggers, {
      description: 'Why the attempt was made. `probe`: checks whether a failing endpoint has recovered.',
    }),
    started_at: { ...Time, description: 'Start time of the attempt.' },
    duration_ms: Type.Integer({
      description: 'Total duration in milliseconds.',
      examples: [42],
    }),
    dns_ms: milliseconds(
      'Duration of the DNS lookup. Null if a connection was reused or the attempt ended before this step.',
    ),
    connect_ms: milliseconds('Time to establish the TCP connection.'),
    tls_ms: milliseconds('Duration of the TLS handshake.'),
    first_byte_ms: milliseconds('Time from sending the request to the first byte of the response.'),
    connection_reused: Type.Boolean({
      description: 'Whether an open connection was reused.',
      examples: [false],
    }),
    outcome,
    status: httpStatus,
    remote_ip: nullable(
      Type.String({ description: 'IP address that the request was sent to. Null if no address was found.' }),
    ),
    detail: nullable(
      Type.String({ description: 'Human-readable error message. Null if there was no error.' }),
    ),
    response_headers: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'Response headers, up to 2 KB. Null if there was no response.',
    }),
    response_body: nullable(
      Type.String({
        description:
          'Response body: up to 8 KB for a failure, 512 bytes for a success. Null if there was no response.',
      }),
    ),
    request_headers: Type.Object(
      {
        'signature-digest': Type.String({
          description: 'Signature of `data`. Roles below ADMIN see `v1=redacted`.',
        }),
        'webhook-id': Type.String({ description: 'ID of the event.', loggable: true }),
        'webhook-timestamp': Type.String({
          description: 'Time of the attempt, in Unix seconds.',
          loggable: true,
        }),
        'webhook-signature': Type.String({
          description: 'Standard Webhooks signature of the body. Roles below ADMIN see `v1,redacted`.',
        }),
      },
      { description: 'Request headers.' },
    ),
    secret_ids: Type.Array(IdOf('webhook_secret'), {
      description: 'IDs of the secrets that signed the request.',
    }),
    next_attempt_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the attempt that was scheduled after this one. Null if none was scheduled.',
    }),
    worker: Type.String({ description: 'Process that made the attempt.', loggable: true }),
  },
  { $id: 'DeliveryAttempt', description: 'One request to the endpoint and its response.' },
)

export const DeliveryWithAttemptsObject = Type.Object(
  {
    ...members,
    attempts: Type.Array(AttemptObject, { description: 'The latest 50 attempts, oldest first.' }),
  },
  { $id: 'DeliveryWithAttempts', description: 'A delivery with its attempts.' },
)

export const FiguresObject = Type.Object(
  {
    object: Type.Literal('webhook_endpoint_figures'),
    webhook_endpoint_id: IdOf('webhook_endpoint'),
    since_at: nullableWithNullExample({
      ...Time,
      description: 'Creation time of the oldest delivery that is counted. Null if there are no deliveries.',
    }),
    deliveries: Type.Integer({ description: 'Number of deliveries counted: at most the latest 1,000.' }),
    delivered: Type.Integer({ description: 'Number of successful deliveries.' }),
    delivered_first_try: Type.Integer({
      description: 'Number of deliveries that succeeded on the first attempt.',
    }),
    failed: Type.Integer({ description: 'Number of `exhausted` deliveries.' }),
    waiting: Type.Integer({ description: 'Number of `pending` and `held` deliveries.' }),
    attempts: Type.Integer({ description: 'Number of attempts of these deliveries.' }),
    success_rate: nullable(
      Type.Number({
        description: 'Fraction of successful attempts, from 0 to 1. Null if there are no attempts.',
        examples: [0.9987],
      }),
    ),
    p50_ms: nullable(
      Type.Integer({
        description: 'Median duration of successful attempts in milliseconds. Null if there are none.',
      }),
    ),
    p95_ms: nullable(
      Type.Integer({
        description:
          '95th percentile of the duration of successful attempts in milliseconds. Null if there are none.',
      }),
    ),
    outcomes: Type.Object(
      Object.fromEntries(
        outcomes.map((name) => [
          name,
          Type.Integer({ description: `Number of attempts with the outcome \`${name}\`.`, examples: [0] }),
        ]),
      ),
      {
        description: 'Number of attempts by outcome.',
      },
    ),
    next_attempt_at: nullable({
      ...Time,
      description: 'Due time of the next pending delivery. It can be in the past. Null if none is pending.',
    }),
  },
  { $id: 'WebhookEndpointFigures', description: 'Statistics of the latest deliveries to an endpoint.' },
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
          'Endpoints to send the event to, whatever types they subscribe to. Default: enabled endpoints that subscribe to the type now, and endpoints that have already received the event.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ResendEvent = Static<typeof ResendEvent>

/** The body of a test request; `types` are the existing event types. */
export const TestWebhookEndpoint = (types: readonly string[]) =>
  Type.Object(
    {
      type: Type.Optional(
        OneOf(types, {
          default: 'webhook_endpoint.test',
          description:
            'Event type of the sample. In the live environment it must be `webhook_endpoint.test`, so that no sample can be mistaken for a real payment.',
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
    // The id of a delivery contains the time of its event.
    created_at: timeOf(delivery.id).toISOString(),
  }
}

type WithAttempts = { readonly delivery: Delivery; readonly attempts: readonly Attempt[] }
type ResponseContext = { readonly caller: { readonly authority: Authority } }

/**
 * Only an ADMIN sees signatures. `signature-digest` is valid for as long as its secret, so anyone who can
 * read it could send the event to the receiver again.
 */
export function presentWithAttempts(
  { delivery, attempts }: WithAttempts,
  { caller }: ResponseContext,
): Static<typeof DeliveryWithAttemptsObject> {
  const visibleAttempts = caller.authority === 'ADMIN' ? attempts : attempts.map(withoutSignatures)
  return {
    ...present(delivery),
    attempts: visibleAttempts.map((attempt) => presentAttempt(delivery, attempt)),
  }
}

function withoutSignatures(attempt: Attempt): Attempt {
  const { signatureDigest, webhookSignature } = attempt
  return {
    ...attempt,
    signatureDigest: signatureDigest.replaceAll(/(?<=v\d+=)[^,]+/g, 'redacted'),
    webhookSignature: webhookSignature.replaceAll(/(?<=v\d+,)\S+/g, 'redacted'),
  }
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

export function presentFigures(statistics: {
  readonly endpointId: string
  readonly figures: Figures
}): Static<typeof FiguresObject> {
  const { endpointId, figures } = statistics
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
