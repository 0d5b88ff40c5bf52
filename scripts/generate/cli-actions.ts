// The actions of the CLI: every operation of the OpenAPI document except `list` and `get`, with the members of its
// body that can be given as options.

import type { Action, Filter, Member } from '../../packages/cli/src/nouns.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  /** Set for secrets. */
  readonly writeOnly?: boolean
  readonly description?: string
}
type Parameter = { readonly name: string; readonly in: string; readonly description?: string }
export type DescribedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json'?: { readonly schema: Schema }
      readonly 'text/csv'?: object
    }
  }
  readonly responses: { readonly [status: string]: { readonly content?: object } }
}

/** Null for operations with their own commands, and for operations without a JSON response. */
export function actionOf(method: string, path: string, operation: DescribedOperation): Action | null {
  const verb = operation.operationId.split('.')[1] ?? ''
  const isJson = 'application/json' in Object.assign({}, ...contentsOf(operation))
  if (verb === 'list' || verb === 'get' || !isJson) return null
  const { 'application/json': json, 'text/csv': file } = operation.requestBody?.content ?? {}
  const filters = queryOf(operation).filter(({ name }) => !name.startsWith('created_at'))
  return {
    verb,
    about: operation.summary,
    ids: idsIn(path),
    kind: method === 'get' ? 'read' : method === 'delete' ? 'delete' : 'write',
    ...(json === undefined ? {} : { members: membersOf(json.schema) }),
    ...(file === undefined ? {} : { file: true }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(operation.parameters?.some(({ name }) => name === 'If-Match') ? { ifMatch: true } : {}),
  }
}

export function idsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)
}

/** Parameters of every list, which have their own options with other names. */
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
    const clearedSchema = kind === 'pairs' ? (schema.additionalProperties as Schema) : schema
    return [{ name, about, kind, ...(isNullable(clearedSchema) ? { clearable: true as const } : {}) }]
  })
}

function isNullable({ type = [], enum: choices = [] }: Schema): boolean {
  return [type].flat().includes('null') || choices.includes(null)
}

/** Null if the member can only be given as JSON. */
function kindOf(schema: Schema): Member['kind'] | null {
  const type = [schema.type ?? []].flat().find((value) => value !== 'null')
  if (schema.enum?.some((value) => typeof value === 'string') || type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'array') return kindOf(schema.items ?? {}) === 'text' ? 'texts' : null
  return type === 'object' ? kindOfObject(schema) : null
}

function kindOfObject({ additionalProperties: values, writeOnly }: Schema): Member['kind'] | null {
  if (typeof values !== 'object' || kindOf(values) !== 'text') return null
  return writeOnly ? 'secrets' : 'pairs'
}

/** Lists up to 12 choices. Longer lists are in the reference. */
function choicesOf({ enum: choices = [] }: Schema): string {
  const texts = choices.filter((value) => typeof value === 'string')
  return texts.length === 0 || texts.length > 12 ? '' : `One of ${texts.join(', ')}`
}
