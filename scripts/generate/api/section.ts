// One operation of a page: what it does, who may call it, what it takes, what it answers, what it refuses.

import { sdkMethodOf } from '../../../packages/cli/src/sdk-methods.ts'
import { exampleOfSchema } from '../../../packages/server/src/kernel/example.ts'
import { cell, code, type MemberOptions, memberHead, memberRows, typeWords } from '../members.ts'
import type { Schema } from '../sdk-schema.ts'
import { curlOf, typescriptOf } from './calls.ts'
import {
  type ApiOperation,
  bodyOf,
  type Components,
  entryOf,
  nameOf,
  type Parameter,
  type Placed,
  successesOf,
} from './document.ts'
import type { PageMemory } from './memory.ts'
import { told } from './told.ts'

export type Surroundings = {
  readonly components: Components
  /** Where an object is described, as a link. */
  readonly linkTo: (name: string) => string
  /** Remembers what the page has described, so that it does so once. */
  readonly memory: PageMemory
  /** Codes that every operation may answer stand on the index, once. */
  readonly commonCodes: ReadonlySet<string>
}

export function sectionOf(placed: Placed, around: Surroundings): string {
  const { method, path, operation } = placed
  const parts = [
    `## ${operation.summary}`,
    `\`${method} ${path}\`, in the SDK ${code(sdkMethodOf(operation.operationId))}, in logs ${code(operation.operationId)}`,
    operation.description ?? `${operation.summary}.`,
    `**Who may.** ${audienceOf(operation)}`,
    ...tableOf('Path', inPlace(operation, 'path'), around),
    ...tableOf('Query', inPlace(operation, 'query'), around),
    ...tableOf('Headers', ownHeaders(operation), around),
    ...bodyTable(operation, around),
    `\`\`\`sh\n${curlOf(placed)}\n\`\`\``,
    `\`\`\`ts\n${typescriptOf(placed)}\n\`\`\``,
    `**Answers.** ${answersOf(operation, around)}`,
    ...exampleOf(operation, around),
    ...repeatsOf(operation),
    ...eventsOf(operation),
    `**Refuses.** ${refusalsOf(operation, around)}`,
  ]
  return parts.join('\n\n')
}

const roleNames = { publishable: 'publishable tokens' } as const

function audienceOf({ 'x-roles': test, 'x-roles-live': live }: ApiOperation): string {
  if (live === undefined) return `${wordsOf(test)}.`
  if (live.length === 0) return `${wordsOf(test)}, in the test environment alone.`
  return `In the test environment ${wordsOf(test)}; in the live one ${wordsOf(live)}.`
}

function wordsOf(audience: readonly string[]): string {
  const roles = audience.filter((one) => one !== 'publishable').map(code)
  const tokens = roles.length === 0 ? [] : [`secret tokens and people with the role ${roles.join(', ')}`]
  const pages = audience.includes('publishable') ? [roleNames.publishable] : []
  const text = [...tokens, ...pages].join(', and ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function inPlace({ parameters }: ApiOperation, place: Parameter['in']): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place)
}

/** Those that every operation has stand on the index. */
function ownHeaders(operation: ApiOperation): Parameter[] {
  return inPlace(operation, 'header').filter(
    ({ name }) => !['Idempotency-Key', 'Switchyard-Version', 'If-Match'].includes(name),
  )
}

function tableOf(title: string, parameters: readonly Parameter[], { linkTo }: Surroundings): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, required, description = '', schema }) => {
    const usual = schema.default === undefined ? '' : ` Without it: ${code(schema.default)}.`
    const type = `${typeWords(schema, { linkTo })}${required && title !== 'Path' ? ', required' : ''}`
    return `| \`${name}\` | ${type} | ${cell(description)}${usual} |`
  })
  return [`**${title}**`, `| Name | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`]
}

function bodyTable(operation: ApiOperation, { linkTo, memory }: Surroundings): string[] {
  const schema = bodyOf(operation)
  if (schema === undefined) return []
  const describedAt = memory.membersFor(operation.summary)
  const options: MemberOptions = { linkTo, marksRequired: true, describedAt }
  const title = operation.requestBody?.required ? '**Body**' : '**Body**, which may be left out'
  return [title, `${memberHead}\n${memberRows(schema, options).join('\n')}`]
}

function answersOf(operation: ApiOperation, { linkTo }: Surroundings): string {
  const answers = successesOf(operation).map(([status, schema]) => {
    if (schema === null) return `${status} with the document itself, as \`application/pdf\``
    const entry = entryOf(schema)
    const name = linkTo(nameOf(entry) ?? '')
    if (operation.responses[status]?.content['text/event-stream'] !== undefined)
      return `${status} with a stream of server-sent events, each of which holds one ${name}`
    const what = entry === schema ? name : `a [list](../../guides/lists.md) of ${name}`
    return status === '202' ? `202 with ${what} while it is not final` : `${status} with ${what}`
  })
  return `${answers.join(', or ')}.`
}

/** An object is shown by the first operation of the page that answers it; the others lead there. */
function exampleOf(operation: ApiOperation, { components, memory }: Surroundings): string[] {
  const [, schema] = successesOf(operation)[0] ?? []
  if (schema === null || schema === undefined) return []
  const shown = memory.exampleOf(JSON.stringify(entryOf(schema)), operation.summary)
  if (shown !== null) return [`For example as in ${shown}.`]
  const value = exampleOfSchema(resolved(schema, components))
  return [`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``]
}

/** The schema with the objects that it refers to in their places. */
export function resolved(schema: Schema, components: Components): Schema {
  const name = nameOf(schema)
  if (name !== null) return resolved(components[name] ?? {}, components)
  const { properties, items } = schema
  const members = Object.entries(properties ?? {}).map(([key, member]) => [key, resolved(member, components)])
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: resolved(items, components) }),
  }
}

function repeatsOf(operation: ApiOperation): string[] {
  const names = inPlace(operation, 'header').map(({ name }) => name)
  const sentences = [
    ...(names.includes('Idempotency-Key')
      ? [
          'The same [`Idempotency-Key`](../../guides/idempotency.md) has one effect and one answer, for 7 days.',
        ]
      : []),
    ...(names.includes('If-Match')
      ? [
          'With `If-Match` it changes only the [version you have seen](../../guides/objects.md#change-only-what-you-have-seen).',
        ]
      : []),
  ]
  return sentences.length === 0 ? [] : [`**Repeating it.** ${sentences.join(' ')}`]
}

function eventsOf({ operationId }: ApiOperation): string[] {
  const types = told[operationId] ?? []
  if (types.length === 0) return []
  return [`**Tells.** ${types.map((type) => `[\`${type}\`](../events/${type}.md)`).join(', ')}.`]
}

function refusalsOf({ responses }: ApiOperation, { commonCodes }: Surroundings): string {
  const own = Object.entries(responses).flatMap(([status, { 'x-codes': codes = [] }]) =>
    codes.filter((one) => !commonCodes.has(one)).map((one) => `${status} [\`${one}\`](../errors/${one}.md)`),
  )
  const common = '[what every operation may refuse](README.md#refusals)'
  return own.length === 0 ? `Only ${common}.` : `${own.join(', ')}, and ${common}.`
}
