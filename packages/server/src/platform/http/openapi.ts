/**
 * Generates the OpenAPI document from the operations, so that there is no second description of a path that
 * could differ.
 */
import type { TSchema } from 'typebox'
import type { EventDescription } from '../db/event-example.ts'
import { audienceOf } from './audience.ts'
import type { Access } from './http-context.ts'
import { headers, headersOfSuccess } from './openapi-headers.ts'
import { describeParameters, type Parameters } from './openapi-parameters.ts'
import { describeProblems, type Problems } from './openapi-problems.ts'
import { inline, inlineBody, type SharedSchemas } from './openapi-schemas.ts'
import { type Area, tagGroupsOf, tagOf, tagsOf } from './openapi-tags.ts'
import { describeWebhooks, webhookHeaders, webhookResponses } from './openapi-webhooks.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problems.ts'
import type { JsonObject } from './versions.ts'

export type ApiDescription = {
  readonly version: string
  readonly operations: readonly Operation[]
  readonly access: Access
  readonly events: readonly EventDescription[]
  readonly eventSchema: TSchema
  readonly areas: readonly Area[]
}

/** Parts that operations refer to instead of repeating them. */
type Shared = {
  readonly schemas: SharedSchemas
  readonly parameters: Parameters
  readonly problems: Problems
}

export function describeApi(api: ApiDescription): JsonObject {
  const schemas: SharedSchemas = new Map()
  const problems = describeProblems(api.operations)
  const parameters = describeParameters(api.operations, schemas)
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of api.operations) {
    const path = operation.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    const item = paths[path] ?? {}
    item[operation.method.toLowerCase()] = describeOperation(operation, api.access, {
      schemas,
      parameters,
      problems,
    })
    paths[path] = item
  }
  const webhooks = describeWebhooks(api, schemas)
  inline(Problem, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version: api.version,
      description:
        'Payment orchestration and recurring billing. Amounts are integers in minor units; timestamps are RFC 3339 in UTC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'Live environment, for live tokens',
        variables: { base_url: { default: 'http://127.0.0.1:8080' } },
      },
      {
        url: '{staging_base_url}',
        description: 'Test environment, for test tokens',
        variables: { staging_base_url: { default: 'http://127.0.0.1:8081' } },
      },
    ],
    security: [{ token: [] }],
    tags: tagsOf(api.operations, api.areas),
    'x-tagGroups': tagGroupsOf(api.areas),
    paths,
    webhooks,
    components: {
      headers,
      parameters: { ...parameters.shared, ...webhookHeaders },
      responses: { ...problems.responses, ...webhookResponses },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of the workspace.' },
      },
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

function describeOperation(operation: Operation, access: Access, shared: Shared): JsonObject {
  const { id, summary, status = 200, limit } = operation
  const description = descriptionOf(operation)
  const problems = shared.problems.of(operation)
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...rolesOf(access, id),
    ...(limit === undefined ? {} : { 'x-limit': { per_minute: limit.perMinute } }),
    ...(Object.keys(problems.codes).length === 0 ? {} : { 'x-codes': problems.codes }),
    parameters: shared.parameters.of(operation),
    ...requestBodyOf(operation, shared.schemas),
    responses: {
      [status]: {
        description: 'Success.',
        headers: headersOfSuccess(operation),
        content: responseContent(operation, shared.schemas),
      },
      ...acceptedResponse(operation, shared.schemas),
      ...problems.responses,
    },
  }
}

function requestBodyOf({ id, body, upload }: Operation, shared: SharedSchemas): JsonObject {
  if (upload !== undefined) {
    const schema = { type: 'string', format: 'binary', description: 'The content of the file.' }
    return { requestBody: { required: true, content: { [upload]: { schema } } } }
  }
  if (body === undefined) return {}
  const content = { 'application/json': { schema: inlineBody(id, body, shared) } }
  return { requestBody: { required: needsBody(body), content } }
}

function acceptedResponse(operation: Operation, shared: SharedSchemas): JsonObject {
  const { accepted } = operation
  if (accepted === undefined) return {}
  const content = { 'application/json': { schema: inline(accepted.response, shared) } }
  return {
    202: {
      description: 'Accepted. The result is not final yet.',
      headers: headersOfSuccess(operation),
      content,
    },
  }
}

/** If the roles of the two modes differ, those of live mode are listed separately. */
function rolesOf(access: Access, id: string): JsonObject {
  const [live = [], test = []] = [audienceOf(access, id, 'live'), audienceOf(access, id, 'test')]
  return live === test ? { 'x-roles': test } : { 'x-roles': test, 'x-roles-live': live }
}

/** OpenAPI cannot describe the content of server-sent events, so it is in an extension. */
function responseContent({ response, streams, document }: Operation, shared: SharedSchemas): JsonObject {
  if (document !== undefined) return { [document]: { schema: { type: 'string', format: 'binary' } } }
  const schema = inline(response, shared)
  return streams
    ? { 'text/event-stream': { schema: frames, 'x-data': schema } }
    : { 'application/json': { schema } }
}

const frames = {
  type: 'string',
  description:
    'Frames of server-sent events, each terminated by an empty line. `x-data` describes the content of `data`.',
  examples: ['event: event\nid: mhzk8u2v-2f1-3\ndata: {"id": …}\n\n'],
}

function descriptionOf({ description, limit }: Operation): string | undefined {
  if (limit === undefined) return description
  const sentence = `Rate limit: ${limit.perMinute} calls per minute with the same token.`
  return description === undefined ? sentence : `${description} ${sentence}`
}

/** A body with only optional members can be omitted. */
function needsBody(body: TSchema): boolean {
  return ((body as { required?: readonly string[] }).required ?? []).length > 0
}
