// Renders the section of one operation: description, required role, request, responses and errors.

import { sdkMethodOf } from '../../../packages/cli/src/sdk-methods.ts'
import { exampleOfSchema } from '../../../packages/server/src/kernel/example.ts'
import { cell, code, type MemberOptions, memberHead, memberRows, typeText } from '../members.ts'
import type { Schema } from '../sdk-schema.ts'
import { curlOf, typescriptOf } from './calls.ts'
import {
  type ApiEndpoint,
  type ApiOperation,
  bodyOf,
  type Components,
  entryOf,
  nameOf,
  type Parameter,
  successesOf,
} from './document.ts'
import { emittedEvents } from './emitted-events.ts'
import type { PageState } from './page-state.ts'

export type PageContext = {
  readonly components: Components
  /** A link to the description of an object. */
  readonly linkTo: (name: string) => string
  /** Records what the page has described, so that nothing is described twice. */
  readonly pageState: PageState
  /** Codes that every operation can return. They are listed once, on the index page. */
  readonly commonCodes: ReadonlySet<string>
}

export function sectionOf(endpoint: ApiEndpoint, context: PageContext): string {
  const { method, path, operation } = endpoint
  const parts = [
    `## ${operation.summary}`,
    `\`${method} ${path}\`. SDK: ${code(sdkMethodOf(operation.operationId))}. In logs: ${code(operation.operationId)}.`,
    operation.description ?? `${operation.summary}.`,
    `**Required role.** ${formatRequiredRoles(operation)}`,
    ...tableOf('Path', parametersIn(operation, 'path'), context),
    ...tableOf('Query', parametersIn(operation, 'query'), context),
    ...tableOf('Headers', ownHeaders(operation), context),
    ...bodyTable(operation, context),
    `\`\`\`sh\n${curlOf(endpoint)}\n\`\`\``,
    `\`\`\`ts\n${typescriptOf(endpoint)}\n\`\`\``,
    `**Response.** ${formatResponses(operation, context)}`,
    ...exampleOf(operation, context),
    ...formatIdempotency(operation),
    ...eventsOf(operation),
    `**Errors.** ${formatErrors(operation, context)}`,
  ]
  return parts.join('\n\n')
}

const roleNames = { publishable: 'publishable tokens' } as const

function formatRequiredRoles({ 'x-roles': test, 'x-roles-live': live }: ApiOperation): string {
  if (live === undefined) return `${formatAudience(test)}.`
  if (live.length === 0) return `${formatAudience(test)}, in the test environment only.`
  return `Test environment: ${formatAudience(test)}. Live environment: ${formatAudience(live)}.`
}

function formatAudience(audience: readonly string[]): string {
  const roles = audience.filter((role) => role !== 'publishable').map(code)
  const tokens = roles.length === 0 ? [] : [`secret tokens and people with the role ${listRoles(roles)}`]
  const pages = audience.includes('publishable') ? [roleNames.publishable] : []
  const text = [...tokens, ...pages].join(', and ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `A, B or C`. */
function listRoles(roles: readonly string[]): string {
  return roles.length < 2 ? roles.join('') : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`
}

function parametersIn({ parameters }: ApiOperation, location: Parameter['in']): Parameter[] {
  return parameters.filter((parameter) => parameter.in === location)
}

/** Headers that every operation has are listed on the index. */
function ownHeaders(operation: ApiOperation): Parameter[] {
  return parametersIn(operation, 'header').filter(
    ({ name }) => !['Idempotency-Key', 'Switchyard-Version', 'If-Match'].includes(name),
  )
}

function tableOf(title: string, parameters: readonly Parameter[], { linkTo }: PageContext): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, required, description = '', schema }) => {
    const defaultText = schema.default === undefined ? '' : ` Default: ${code(schema.default)}.`
    const type = `${typeText(schema, { linkTo })}${required && title !== 'Path' ? ', required' : ''}`
    return `| \`${name}\` | ${type} | ${cell(description)}${defaultText} |`
  })
  return [`**${title}**`, `| Name | Type | Description |\n|---|---|---|\n${rows.join('\n')}`]
}

function bodyTable(operation: ApiOperation, { linkTo, pageState }: PageContext): string[] {
  const schema = bodyOf(operation)
  if (schema === undefined) return []
  const describedAt = pageState.membersFor(operation.summary)
  const options: MemberOptions = { linkTo, marksRequired: true, describedAt }
  const title = operation.requestBody?.required ? '**Body**' : '**Body** (optional)'
  return [title, `${memberHead}\n${memberRows(schema, options).join('\n')}`]
}

function formatResponses(operation: ApiOperation, { linkTo }: PageContext): string {
  const responses = successesOf(operation).map(([status, schema]) => {
    if (schema === null)
      return `${status} with the document (\`${Object.keys(operation.responses[status]?.content ?? {})[0]}\`)`
    const entry = entryOf(schema)
    const name = linkTo(nameOf(entry) ?? '')
    if (operation.responses[status]?.content['text/event-stream'] !== undefined)
      return `${status} with a stream of server-sent events, each containing one ${name}`
    const content = entry === schema ? name : `a [list](../../guides/lists.md) of ${name}`
    return status === '202'
      ? `202 with ${content} if the result is not final yet`
      : `${status} with ${content}`
  })
  return `${responses.join(', or ')}.`
}

/** An example is shown at the first operation of the page that returns the object; the others link to it. */
function exampleOf(operation: ApiOperation, { components, pageState }: PageContext): string[] {
  const [, schema] = successesOf(operation)[0] ?? []
  if (schema === null || schema === undefined) return []
  const linkToExample = pageState.exampleOf(JSON.stringify(entryOf(schema)), operation.summary)
  if (linkToExample !== null) return [`For an example, see ${linkToExample}.`]
  const value = exampleOfSchema(resolveReferences(schema, components))
  return [`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``]
}

/** The schema with all references replaced by the objects. */
export function resolveReferences(schema: Schema, components: Components): Schema {
  const name = nameOf(schema)
  if (name !== null) return resolveReferences(components[name] ?? {}, components)
  const { properties, items } = schema
  const members = Object.entries(properties ?? {}).map(([key, member]) => [
    key,
    resolveReferences(member, components),
  ])
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: resolveReferences(items, components) }),
  }
}

function formatIdempotency(operation: ApiOperation): string[] {
  const names = parametersIn(operation, 'header').map(({ name }) => name)
  const sentences = [
    ...(names.includes('Idempotency-Key')
      ? [
          'Requests with the same [`Idempotency-Key`](../../guides/idempotency.md) take effect once and return the same response, for 7 days.',
        ]
      : []),
    ...(names.includes('If-Match')
      ? [
          'With `If-Match`, the object is changed only if it still has the [version you read](../../guides/objects.md#change-only-what-you-have-seen).',
        ]
      : []),
  ]
  return sentences.length === 0 ? [] : [`**Idempotency.** ${sentences.join(' ')}`]
}

function eventsOf({ operationId }: ApiOperation): string[] {
  const types = emittedEvents[operationId] ?? []
  if (types.length === 0) return []
  return [`**Events.** ${types.map((type) => `[\`${type}\`](../events/${type}.md)`).join(', ')}.`]
}

function formatErrors({ responses }: ApiOperation, { commonCodes }: PageContext): string {
  const ownCodes = Object.entries(responses).flatMap(([status, { 'x-codes': codes = [] }]) =>
    codes
      .filter((code) => !commonCodes.has(code))
      .map((code) => `${status} [\`${code}\`](../errors/${code}.md)`),
  )
  const common = '[common errors](README.md#common-errors)'
  return ownCodes.length === 0 ? `Only the ${common}.` : `${ownCodes.join(', ')}, and the ${common}.`
}
