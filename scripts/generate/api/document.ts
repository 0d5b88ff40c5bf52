// The parts of the OpenAPI document that the reference pages use.

import type { Schema } from '../sdk-schema.ts'

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}
type Content = { readonly [type: string]: { readonly schema: Schema; readonly 'x-data'?: Schema } }
export type Response = {
  readonly description: string
  readonly headers?: object
  readonly content: Content
  readonly 'x-codes'?: readonly string[]
}
export type ApiOperation = {
  readonly operationId: keyof import('../../../packages/sdk/src/index.ts').Operations
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly 'x-roles': readonly string[]
  readonly 'x-roles-live'?: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: { readonly [status: string]: Response }
}
export type Components = { readonly [name: string]: Schema }
export type ApiDocument = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: ApiOperation } }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  /** The areas, and the tags of each. */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly components: { readonly schemas: Components }
}

/** An operation with its method and path. */
export type ApiEndpoint = { readonly method: string; readonly path: string; readonly operation: ApiOperation }

export function operationsIn({ paths }: ApiDocument): ApiEndpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export function bodyOf({ requestBody }: ApiOperation): Schema | undefined {
  return requestBody?.content['application/json']?.schema
}

/** The success responses, by status. */
export function successesOf({ responses }: ApiOperation): [status: string, schema: Schema | null][] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => [status, schemaIn(content)])
}

/** The schema of the JSON response or of each event of a stream; null if the response is not JSON. */
function schemaIn(content: Content): Schema | null {
  return content['application/json']?.schema ?? content['text/event-stream']?.['x-data'] ?? null
}

/** The schema of the entries if it is a list; otherwise the schema itself. */
export function entryOf(schema: Schema): Schema {
  const isList = schema.properties?.object?.const === 'list'
  return (isList ? schema.properties?.data?.items : undefined) ?? schema
}

export function nameOf({ $ref }: Schema): string | null {
  return $ref?.split('/').at(-1) ?? null
}
