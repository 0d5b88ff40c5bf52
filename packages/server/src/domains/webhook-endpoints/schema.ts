import { type Static, type TSchema, Type } from 'typebox'
import {
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  mostlyNull,
  nullable,
  OneOf,
  Time,
} from '../../kernel/shapes.ts'
import { defaults } from './changes.ts'
import { reasons, statuses } from './machine.ts'
import {
  healthStates,
  type ObservedEndpoint,
  orderings,
  type RevealedEndpoint,
  type WebhookEndpoint,
} from './webhook-endpoint.ts'

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where events are sent: https, on port 443 or from 1024 on, and reachable from the internet.',
  examples: ['https://shop.example.com/webhooks'],
})
const name = nullable(
  Type.String({ minLength: 1, maxLength: 100, description: 'A name for people.', examples: ['Shop'] }),
)
const ordering = OneOf(orderings, {
  description:
    'With `object`, an event waits until earlier ones of the same object are done with. With `none`, order by `sequence` yourself.',
})
const maxInFlight = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'Requests under way at once, at most.',
  examples: [defaults.maxInFlight],
})
const rateLimit = nullable(
  Type.Integer({ minimum: 1, maximum: 1000, description: 'Requests per second at most; null: no limit.' }),
)
const timeoutSeconds = Type.Integer({
  minimum: 5,
  maximum: 30,
  description: 'How long an answer may take.',
  examples: [defaults.timeoutSeconds],
})

const Health = Type.Object(
  {
    state: OneOf(healthStates, {
      description:
        '`failing`: the last attempts failed. `open`: so many failed that only one is tried from time to time.',
    }),
    failing_since_at: mostlyNull(Time),
    last_success_at: mostlyNull(Time),
    next_probe_at: mostlyNull(Time),
  },
  {
    description: 'How the last attempts went.',
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
  id: IdOf('webhook_secret', 'The id of the secret.'),
  created_at: Time,
  expires_at: mostlyNull(Time),
})

const members = {
  id: IdOf('webhook_endpoint'),
  object: Type.Literal('webhook_endpoint'),
  url,
  name,
  event_types: Type.Array(Type.String({ examples: ['customer.*'], loggable: true }), {
    description: 'What it gets: types of events, `<object>.*` or `*`.',
  }),
  status: OneOf(statuses, { description: 'While it is `disabled`, its events are held for 30 days.' }),
  disabled: nullable(
    Type.Object(
      { reason: OneOf(reasons, { description: 'Who or what disabled it.' }), at: Time },
      { description: 'Why it is disabled, and since when. Null while it is enabled.' },
    ),
  ),
  ordering,
  max_in_flight: maxInFlight,
  rate_limit: rateLimit,
  timeout_seconds: timeoutSeconds,
  health: Health,
  secrets: Type.Array(Secret, {
    description: 'The secrets that sign now, the newest first. Their texts are in `reveal_secret` alone.',
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
  created_at: Time,
  updated_at: Time,
}

export const WebhookEndpointObject = Type.Object(members, {
  $id: 'WebhookEndpoint',
  description: 'An address of yours to which events are sent.',
})

export const RevealedEndpointObject = Type.Object(
  {
    ...members,
    secret: Type.String({
      description: 'The text of the newest secret. All of it, with `whsec_`, is the key of signatures.',
    }),
  },
  { $id: 'RevealedWebhookEndpoint', description: 'A webhook endpoint with its signing secret.' },
)

export const WebhookEndpointPath = Type.Object({ webhook_endpoint_id: IdOf('webhook_endpoint') })
export const DeletedWebhookEndpoint = Deleted('webhook_endpoint', 'DeletedWebhookEndpoint')

/** What an endpoint may ask for, of the types that there are: a type, all of an object, or all. */
export const eventTypesOf = (types: readonly string[]) =>
  Type.Array(
    OneOf([...types, ...new Set(types.map((type) => `${type.split('.')[0]}.*`)), '*'], {
      faultDetail: 'must be a type of event as GET /event-types lists them, <object>.* or *',
    }),
    {
      minItems: 1,
      maxItems: 200,
      description: 'What it gets: types of events, `<object>.*` for all of an object, or `*` for all.',
      examples: [['customer.*']],
    },
  )

/** What is not said at the beginning is this; what is not said later stays as it is. */
const usually = <S extends TSchema>(schema: S, value: Static<S>) =>
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
      event_types: eventTypesOf(types),
      ordering: usually(ordering, defaults.ordering),
      max_in_flight: usually(maxInFlight, defaults.maxInFlight),
      timeout_seconds: usually(timeoutSeconds, defaults.timeoutSeconds),
      ...optional,
    },
    { additionalProperties: false },
  )
export type CreateWebhookEndpoint = Static<ReturnType<typeof CreateWebhookEndpoint>>

export const UpdateWebhookEndpoint = (types: readonly string[]) =>
  Type.Object(
    {
      url: Type.Optional(url),
      event_types: Type.Optional(eventTypesOf(types)),
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
        description: 'Whether events that were held while it was disabled are sent now.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type EnableWebhookEndpoint = Static<typeof EnableWebhookEndpoint>

export const RotateSecret = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: 'How long earlier secrets go on signing beside the new one. 0 ends them now.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RotateSecret = Static<typeof RotateSecret>

export function present(endpoint: ObservedEndpoint): Static<typeof WebhookEndpointObject> {
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
      expires_at: timeOf(secret.expiresAt),
    })),
    metadata: endpoint.metadata,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  }
}

function presentHealth({ health, status }: ObservedEndpoint): Static<typeof Health> {
  // A receiver that asked for a rest is not probed, and neither is one that nothing is sent to.
  const isProbed = health.state === 'open' && status === 'enabled'
  return {
    state: health.state,
    failing_since_at: timeOf(health.failingSinceAt),
    last_success_at: timeOf(health.lastSuccessAt),
    next_probe_at: isProbed ? timeOf(health.restUntil) : null,
  }
}

function timeOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}

export function presentRevealed(endpoint: RevealedEndpoint): Static<typeof RevealedEndpointObject> {
  return { ...present(endpoint), secret: endpoint.secret }
}

export function presentDeleted({ id }: WebhookEndpoint): Static<typeof DeletedWebhookEndpoint> {
  return { id, object: 'webhook_endpoint', deleted: true }
}
