// What the command line tool can do beside listing and reading: every other operation of the OpenAPI document, with
// those members of its body that can be given as options.

import type { Action, Filter, Member } from '../../packages/cli/src/nouns.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}
type Parameter = { readonly name: string; readonly in: string; readonly description?: string }
export type DescribedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: { readonly [status: string]: { readonly content?: object } }
}

/** Null for what has commands of its own, or answers no JSON. */
export function actionOf(method: string, path: string, operation: DescribedOperation): Action | null {
  const verb = operation.operationId.split('.')[1] ?? ''
  const isJson = 'application/json' in Object.assign({}, ...contentsOf(operation))
  if (verb === 'list' || verb === 'get' || !isJson) return null
  const body = operation.requestBody?.content['application/json'].schema
  const filters = queryOf(operation).filter(({ name }) => !name.startsWith('created_at'))
  return {
    verb,
    about: operation.summary,
    ids: idsIn(path),
    kind: method === 'get' ? 'read' : method === 'delete' ? 'delete' : 'write',
    ...(body === undefined ? {} : { members: membersOf(body) }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(operation.parameters?.some(({ name }) => name === 'If-Match') ? { ifMatch: true } : {}),
  }
}

export function idsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)
}

/** Parameters of every list have options of their own, with other names. */
const common = /^(limit|starting_after|ending_before|created_at\[.*)$/

export function filtersOf(operation: DescribedOperation): Filter[] {
  return queryOf(operation).filter(({ name }) => !common.test(name))
}

function queryOf({ parameters = [] }: DescribedOperation): Filter[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description = '' }) => ({ name, about: description.replace(/\.$/, '') }))
}

function contentsOf({ responses }: DescribedOperation): object[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') && content !== undefined ? [content] : [],
  )
}

function membersOf({ properties = {}, required = [] }: Schema): Member[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const kind = kindOf(schema)
    if (kind === null) return []
    const sentences = [schema.description?.replace(/\.$/, ''), choicesOf(schema)]
    const about = [...sentences, required.includes(name) ? 'Required' : ''].filter(Boolean).join('. ')
    const cleared = kind === 'pairs' ? (schema.additionalProperties as Schema) : schema
    return [{ name, about, kind, ...(mayBeNull(cleared) ? { clears: true as const } : {}) }]
  })
}

function mayBeNull({ type = [], enum: choices = [] }: Schema): boolean {
  return [type].flat().includes('null') || choices.includes(null)
}

/** Null for what only JSON can say. */
function kindOf(schema: Schema): Member['kind'] | null {
  const type = [schema.type ?? []].flat().find((one) => one !== 'null')
  if (schema.enum?.some((one) => typeof one === 'string') || type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'array') return kindOf(schema.items ?? {}) === 'text' ? 'texts' : null
  const values = schema.additionalProperties
  return type === 'object' && typeof values === 'object' && kindOf(values) === 'text' ? 'pairs' : null
}

/** A few are listed, many are in the reference. */
function choicesOf({ enum: choices = [] }: Schema): string {
  const texts = choices.filter((one) => typeof one === 'string')
  return texts.length === 0 || texts.length > 12 ? '' : `One of ${texts.join(', ')}`
}
