import { type Static, type TSchema, Type } from 'typebox'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithNullExample,
  OneOf,
  Overlap,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { defaults } from './changes.ts'
import { reasons, statuses } from './machine.ts'
import {
  type EndpointDetails,
  healthStates,
  orderings,
  type RevealedEndpoint,
  type WebhookEndpoint,
} from './webhook-endpoint.ts'

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'URL that events are sent to: https, on port 443 or a port from 1024, and reachable from the internet.',
  examples: ['https://shop.example.com/webhooks'],
})
const name = nullable(
  Type.String({ minLength: 1, maxLength: 100, description: 'Display name.', examples: ['Shop'] }),
)
const ordering = OneOf(orderings, {
  description:
    '`object`: an event is sent only after earlier events of the same object have been delivered or abandoned. `none`: events can arrive in any order; sort them by `sequence`.',
})
const maxInFlight = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'Maximum number of concurrent requests.',
  examples: [defaults.maxInFlight],
})
const rateLimit = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of requests per second. Null: no limit.',
  }),
)
const timeoutSeconds = Type.Integer({
  minimum: 5,
  maximum: 30,
  description: 'Timeout for a response, in seconds.',
  examples: [defaults.timeoutSeconds],
})

const Health = Type.Object(
  {
    state: OneOf(healthStates, {
      description:
        '`failing`: the latest attempts failed. `open`: so many attempts failed that only an occasional attempt is made.',
    }),
    failing_since_at: nullableWithNullExample({
      ...Time,
      description: 'Time the endpoint started failing. Null if it is not failing.',
    }),
    last_success_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the last successful attempt. Null if there was none.',
    }),
    next_probe_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the next probe. Null if none is scheduled.',
    }),
  },
  {
    description: 'Health of the endpoint, based on the latest attempts.',
    examples: [
      {
        state: 'healthy',
        failing_since_at: null,
        last_success_at: '2026-11-14T12:00:00.000Z',
        next_probe_at: null,
      },
    ],
  },
)

const Secret = Type.Object({
  id: IdOf('webhook_secret', 'ID of the secret.'),
  created_at: CreatedAt,
  expires_at: nullableWithNullExample({
    ...Time,
    description: 'Time the secret expires. Null if it does not expire.',
  }),
})

const members = {
  id: IdOf('webhook_endpoint'),
  object: Type.Literal('webhook_endpoint'),
  url,
  name,
  event_types: Type.Array(Type.String({ examples: ['customer.*'], loggable: true }), {
    description: 'Subscribed event types: a type, `<object>.*` or `*`.',
  }),
  status: OneOf(statuses, {
    description: 'While the endpoint is `disabled`, its events are held for 30 days.',
  }),
  disabled: nullable(
    Type.Object(
      {
        reason: OneOf(reasons, { description: 'Why the endpoint was disabled.' }),
        at: { ...Time, description: 'Time the endpoint was disabled.' },
      },
      { description: 'Why and when the endpoint was disabled. Null while it is enabled.' },
    ),
  ),
  ordering,
  max_in_flight: maxInFlight,
  rate_limit: rateLimit,
  timeout_seconds: timeoutSeconds,
  health: Health,
  secrets: Type.Array(Secret, {
    description: 'Active signing secrets, newest first. Only `reveal_secret` returns the secret itself.',
    examples: [
      [
        {
          id: 'webhook_secret_test_01M7CYVGQTEAKSNTBFR026MPQ1',
          created_at: '2026-11-14T12:00:00.000Z',
          expires_at: null,
        },
      ],
    ],
  }),
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const WebhookEndpointObject = Type.Object(members, {
  $id: 'WebhookEndpoint',
  description: 'A URL of your server that events are sent to.',
})

export const RevealedEndpointObject = Type.Object(
  {
    ...members,
    secret: Type.String({
      description:
        'The newest signing secret. The whole string, including `whsec_`, is the key for `Signature-Digest`; `Webhook-Signature` uses the decoded part after `whsec_`.',
    }),
  },
  { $id: 'RevealedWebhookEndpoint', description: 'A webhook endpoint with its signing secret.' },
)

export const WebhookEndpointPath = Type.Object({ webhook_endpoint_id: IdOf('webhook_endpoint') })
export const DeletedWebhookEndpoint = Deleted('webhook_endpoint', 'DeletedWebhookEndpoint')

/** The schema of a list of event types: a type, all types of an object, or all types. */
export const eventTypesSchema = (types: readonly string[]) =>
  Type.Array(
    OneOf([...types, ...new Set(types.map((type) => `${type.split('.')[0]}.*`)), '*'], {
      faultDetail: 'must be an event type listed by GET /event-types, <object>.* or *',
    }),
    {
      minItems: 1,
      maxItems: 200,
      description:
        'Event types to subscribe to: a type, `<object>.*` for all events of an object, or `*` for all events.',
      examples: [['customer.*']],
    },
  )

/** Only for creation: in an update an omitted member stays unchanged. */
const withDefault = <S extends TSchema>(schema: S, value: Static<S>) =>
  Type.Optional(Type.Unsafe<Static<S>>({ ...schema, default: value }))

const optional = {
  name: Type.Optional(name),
  rate_limit: Type.Optional(rateLimit),
  metadata: Type.Optional(MetadataChange),
}

export const CreateWebhookEndpoint = (types: readonly string[]) =>
  Type.Object(
    {
      url,
      event_types: eventTypesSchema(types),
      ordering: withDefault(ordering, defaults.ordering),
      max_in_flight: withDefault(maxInFlight, defaults.maxInFlight),
      timeout_seconds: withDefault(timeoutSeconds, defaults.timeoutSeconds),
      ...optional,
    },
    { additionalProperties: false },
  )
export type CreateWebhookEndpoint = Static<ReturnType<typeof CreateWebhookEndpoint>>

export const UpdateWebhookEndpoint = (types: readonly string[]) =>
  Type.Object(
    {
      url: Type.Optional(url),
      event_types: Type.Optional(eventTypesSchema(types)),
      ordering: Type.Optional(ordering),
      max_in_flight: Type.Optional(maxInFlight),
      timeout_seconds: Type.Optional(timeoutSeconds),
      ...optional,
    },
    { additionalProperties: false },
  )
export type UpdateWebhookEndpoint = Static<ReturnType<typeof UpdateWebhookEndpoint>>

export const EnableWebhookEndpoint = Type.Object(
  {
    recover: Type.Optional(
      OneOf(['held', 'none'], {
        default: 'held',
        description: 'Whether to send the events that were held while the endpoint was disabled.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type EnableWebhookEndpoint = Static<typeof EnableWebhookEndpoint>

export const RotateSecret = Overlap(
  86_400,
  'How long earlier secrets are also used for signing, in seconds. 0 invalidates them immediately.',
)
export type RotateSecret = Static<typeof RotateSecret>

export function present(endpoint: EndpointDetails): Static<typeof WebhookEndpointObject> {
  const { disabled } = endpoint
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    name: endpoint.name,
    event_types: [...endpoint.eventTypes],
    status: endpoint.status,
    disabled: disabled === null ? null : { reason: disabled.reason, at: disabled.at.toISOString() },
    ordering: endpoint.ordering,
    max_in_flight: endpoint.maxInFlight,
    rate_limit: endpoint.rateLimit,
    timeout_seconds: endpoint.timeoutSeconds,
    health: presentHealth(endpoint),
    secrets: endpoint.secrets.map((secret) => ({
      id: secret.id,
      created_at: secret.createdAt.toISOString(),
      expires_at: isoTime(secret.expiresAt),
    })),
    metadata: endpoint.metadata,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  }
}

function presentHealth({ health, status }: EndpointDetails): Static<typeof Health> {
  // Only an open breaker is probed, and only while the endpoint is enabled.
  const isProbed = health.state === 'open' && status === 'enabled'
  return {
    state: health.state,
    failing_since_at: isoTime(health.failingSinceAt),
    last_success_at: isoTime(health.lastSuccessAt),
    next_probe_at: isProbed ? isoTime(health.pausedUntil) : null,
  }
}

function isoTime(at: Date | null): string | null {
  return at?.toISOString() ?? null
}

export function presentRevealed(endpoint: RevealedEndpoint): Static<typeof RevealedEndpointObject> {
  return { ...present(endpoint), secret: endpoint.secret }
}

export function presentDeleted({ id }: WebhookEndpoint): Static<typeof DeletedWebhookEndpoint> {
  return { id, object: 'webhook_endpoint', deleted: true }
}
