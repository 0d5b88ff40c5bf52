/**
 * The OpenAPI document, made from the operations themselves. There is no second description of a path
 * that could differ from the first.
 */
import type { TSchema } from 'typebox'
import { type ErrorCode, errors } from '../../kernel/errors.ts'
import type { EventSketch } from '../db/event-example.ts'
import { audienceOf } from './audience.ts'
import { headers, headersOfProblem, headersOfSuccess } from './openapi-headers.ts'
import { inline, type SharedSchemas } from './openapi-schemas.ts'
import { type Resources, tagOf, tagsOf } from './openapi-tags.ts'
import { describeWebhooks, webhookAnswers, webhookHeaders } from './openapi-webhooks.ts'
import { type Operation, takesKey } from './operation.ts'
import { Problem } from './problems.ts'
import type { Access } from './site.ts'
import type { JsonObject } from './versions.ts'

export type Described = {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly access: Access
  readonly events: readonly EventSketch[]
  readonly eventSchema: TSchema
  /** What each resource is. */
  readonly resources: Resources
}

/** What any operation may refuse, whatever it does. */
export const alwaysPossible: readonly ErrorCode[] = [
  ...(['invalid_request', 'unknown_version', 'token_missing', 'token_invalid', 'token_expired'] as const),
  ...(['token_wrong_address', 'role_not_allowed', 'publishable_token_not_allowed', 'rate_limited'] as const),
  ...(['too_many_in_flight', 'internal_error', 'unavailable', 'overloaded'] as const),
]
/** What one that reads a body may refuse besides; a deletion has none, but may be sent one. */
const withBody: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type']
/** And what one that takes an idempotency key may refuse. */
const withKey: readonly ErrorCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
]

/** Every code that the operation may answer. */
export function refusalsOf(operation: Operation): ErrorCode[] {
  const body = operation.method === 'GET' ? [] : withBody
  const key = takesKey(operation.method) ? withKey : []
  return [...new Set([...alwaysPossible, ...body, ...key, ...(operation.refuses ?? [])])]
}

export function describe(described: Described): JsonObject {
  const shared: SharedSchemas = new Map()
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of described.operations) {
    const path = operation.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    const item = paths[path] ?? {}
    item[operation.method.toLowerCase()] = describeOperation(operation, described.access, shared)
    paths[path] = item
  }
  const webhooks = describeWebhooks(described, shared)
  inline(Problem, shared)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version: described.version,
      description:
        'Payment orchestration and recurring billing. Amounts are whole numbers of minor units; times are RFC 3339 in UTC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'Production, for live tokens',
        variables: { base_url: { default: 'http://127.0.0.1:8080' } },
      },
      {
        url: '{staging_base_url}',
        description: 'Staging, for test tokens',
        variables: { staging_base_url: { default: 'http://127.0.0.1:8081' } },
      },
    ],
    security: [{ token: [] }],
    tags: tagsOf(described.operations, described.resources),
    paths,
    webhooks,
    components: {
      headers,
      parameters: webhookHeaders,
      responses: webhookAnswers,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of the workspace.' },
      },
      schemas: Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

function describeOperation(operation: Operation, access: Access, shared: SharedSchemas): JsonObject {
  const { id, summary, body, status = 200, limit } = operation
  const description = descriptionOf(operation)
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...rolesOf(access, id),
    ...(limit === undefined ? {} : { 'x-limit': { per_minute: limit.perMinute } }),
    parameters: parametersOf(operation, shared),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: needsBody(body),
            content: { 'application/json': { schema: inline(body, shared) } },
          },
        }),
    responses: {
      [status]: {
        description: 'Done.',
        headers: headersOfSuccess(operation),
        content: answerContent(operation, shared),
      },
      ...acceptedResponse(operation, shared),
      ...problemResponses(operation),
    },
  }
}

function acceptedResponse(operation: Operation, shared: SharedSchemas): JsonObject {
  const { accepted } = operation
  if (accepted === undefined) return {}
  const content = { 'application/json': { schema: inline(accepted.answer, shared) } }
  return { 202: { description: 'Not final yet.', headers: headersOfSuccess(operation), content } }
}

/** Where the two addresses differ, that of production stands beside. */
function rolesOf(access: Access, id: string): JsonObject {
  const [live = [], test = []] = [audienceOf(access, id, 'live'), audienceOf(access, id, 'test')]
  return live === test ? { 'x-roles': test } : { 'x-roles': test, 'x-roles-live': live }
}

/** The document has no word for what the frames of a stream hold, so that stands beside. */
function answerContent({ answer, streams, document }: Operation, shared: SharedSchemas): JsonObject {
  if (document !== undefined) return { [document]: { schema: { type: 'string', format: 'binary' } } }
  const schema = inline(answer, shared)
  return streams
    ? { 'text/event-stream': { schema: frames, 'x-data': schema } }
    : { 'application/json': { schema } }
}

const frames = {
  type: 'string',
  description:
    'Frames of server-sent events, each ended by an empty line. `x-data` describes what `data` holds.',
  examples: ['event: event\nid: mhzk8u2v-2f1-3\ndata: {"id": …}\n\n'],
}

function descriptionOf({ description, limit }: Operation): string | undefined {
  if (limit === undefined) return description
  const sentence = `It may be called ${limit.perMinute} times a minute with the same token.`
  return description === undefined ? sentence : `${description} ${sentence}`
}

/** A body whose members are all optional may be left out altogether. */
function needsBody(body: TSchema): boolean {
  return ((body as { required?: readonly string[] }).required ?? []).length > 0
}

function parametersOf(operation: Operation, shared: SharedSchemas): JsonObject[] {
  const from = (place: 'path' | 'query', schema: TSchema | undefined) =>
    Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}).map(
      ([name, member]) => {
        const { description, ...rest } = inline(member, shared) as { description?: string }
        return {
          name,
          in: place,
          required: place === 'path',
          ...(description ? { description } : {}),
          schema: rest,
        }
      },
    )
  return [
    ...from('path', operation.params),
    ...from('query', operation.query),
    ...Object.entries(operation.headers ?? {}).map(headerParameter),
    ...(takesKey(operation.method) ? [keyParameter] : []),
    ...(operation.takesIfMatch ? [matchParameter] : []),
    ...(operation.streams ? [lastEventParameter] : []),
    versionParameter,
  ]
}

/** By its usual name: `checkout-secret` is written `Checkout-Secret`. */
function headerParameter([name, description]: [string, string]): JsonObject {
  const usual = name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
  return { name: usual, in: 'header', required: true, description, schema: { type: 'string' } }
}

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name of yours for this request. Repeating it with the same key has no second effect and gets the same answer, for 7 days.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
const matchParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that `ETag` gave: change the object only if it is still that one.',
  schema: { type: 'string' },
}
const lastEventParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last frame that you have: go on behind it.',
  schema: { type: 'string' },
}
const versionParameter = {
  name: 'Switchyard-Version',
  in: 'header',
  required: false,
  description: 'The version to be answered in. Without it, that of the workspace.',
  schema: { type: 'string', examples: ['2026-11-14'] },
}

function problemResponses(operation: Operation): JsonObject {
  const byStatus = Map.groupBy(refusalsOf(operation), (code) => errors[code].status)
  const entries = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' '),
        headers: headersOfProblem(status),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        'x-codes': codes,
      },
    ])
  return Object.fromEntries(entries)
}
