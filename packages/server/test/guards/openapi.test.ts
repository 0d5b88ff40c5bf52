// The document is the contract: it is current, it is what the server serves, it says all that the router
// does, and its parts fit together.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentOf } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { signInDoors } from '../../src/domains/sign-in/routes.ts'
import { errors } from '../../src/kernel/errors.ts'
import { operationsOf } from '../../src/operations.ts'
import { refusalsOf } from '../../src/platform/http/openapi.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { root } from './support/repository.ts'
import { watchRoutes } from './support/routes.ts'

const routes = watchRoutes()
const switchyard = await switchyardForThisFile()

/** What is served without being an operation: pages for people, the document itself, and doors for strangers. */
const publicPages = [
  ...['GET /a/:link', 'GET /a/:link/return', 'GET /l/:slug', 'GET /c/:checkout_session_id'],
  ...['GET /checkout/assets/:name', 'GET /checkout/links/:slug', 'POST /checkout/links/:slug/sessions'],
  ...['', '/receipt'].map((part) => `GET /checkout/sessions/:checkout_session_id${part}`),
  'POST /checkout/sessions/:checkout_session_id/confirm',
  ...['GET /docs', 'GET /docs/*', 'GET /docs/assets/:name', 'GET /llms.txt', 'GET /openapi.json'],
  'POST /provider-webhooks/:provider_account_id',
  // The dashboard, at its own address.
  ...['GET /*', 'GET /assets/:name'],
  ...signInDoors({} as Deps).map(({ method, path }) => `${method} ${path}`),
].toSorted()

const operations = operationsOf({} as Deps)
const written = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const described = describedOperations()

test('the committed document is the one that the operations make', () => {
  expect(written, 'Run `npm run generate` and commit the result.').toEqual(
    JSON.parse(JSON.stringify(documentOf(operations))),
  )
})

test.each(['live', 'test'] as const)(
  'the %s address serves the committed document, with its own address',
  async (mode) => {
    const { status, headers, body } = await switchyard.call(mode, 'GET', '/openapi.json')

    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({ ...written, servers: expect.any(Array) })
    expect(body.servers).toMatchObject([{ url: switchyard.addresses[mode] }])
  },
)

test('the router has no route that the document lacks, but the pages for people', () => {
  const called = routes.filter(({ operation }) => operation !== null)
  const pages = routes.filter(({ operation }) => operation === null)

  expect(new Set(called.map(({ method, url }) => `${method} ${url}`))).toEqual(
    new Set(described.map(({ method, path }) => `${method} ${path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`)),
  )
  expect([...new Set(pages.map(({ method, url }) => `${method} ${url}`))].toSorted()).toEqual(publicPages)
})

test('every operation has a name of its own, in the form <objects>.<verb>, and a summary', () => {
  const ids = described.map(({ operation }) => operation.operationId)

  expect(ids.filter((id) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(operations.length)
  expect(described.filter(({ operation }) => !/^[A-Z].{5,60}[^.]$/.test(operation.summary))).toEqual([])
})

test('every resource, operation, parameter and member says what it is, in sentences', () => {
  const mute = [
    ...written.tags.filter(isMute).map(({ name }: { name: string }) => name),
    ...described.filter(({ operation }) => isMute(operation)).map(({ operation }) => operation.operationId),
    ...described.flatMap(({ operation: { operationId, parameters, requestBody } }) => [
      ...parameters.filter(isMute).map(({ name }) => `${operationId} ${name}`),
      ...muteIn(requestBody, `${operationId} body`),
    ]),
    ...muteIn(written.components.schemas, ''),
  ]

  expect(mute).toEqual([])
  expect(muteIn({ a: { properties: { b: { type: 'string', description: 'no sentence' } } } }, '')).toEqual([
    '/a/b',
  ])
})

test('every reference leads somewhere, and every shared schema and header is used', () => {
  const references = allIn(written, '$ref') as string[]
  const names = ['schemas', 'headers', 'parameters', 'responses'].flatMap((kind) =>
    Object.keys(written.components[kind]).map((name) => `#/components/${kind}/${name}`),
  )

  expect(references).not.toHaveLength(0)
  expect(new Set(references)).toEqual(new Set(names))
})

test('every code that an operation refuses with is in the catalogue and in the document', () => {
  for (const operation of operations) {
    const codes = refusalsOf(operation)
    expect(codes.filter((code) => !Object.hasOwn(errors, code))).toEqual([])
    const found = described.find(({ operation: { operationId } }) => operationId === operation.id)
    expect(allIn(found?.operation.responses, 'x-codes').flat().toSorted()).toEqual(codes.toSorted())
  }
})

test.each(described)('$method $path is a sound operation of OpenAPI 3.1', ({ path, operation }) => {
  const { parameters, responses, requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')

  expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name))
  expect(inPath.every(({ required }) => required)).toBe(true)
  for (const { name, schema } of parameters) {
    expect(name).toMatch(/\S/)
    expect(schema.type).toBeDefined()
  }
  // One answer, or another beside it that says that it is not final yet.
  const successes = Object.keys(responses).filter((status) => /^20[012]$/.test(status))
  expect(['200', '201', '202', '200 202', '201 202']).toContain(successes.join(' '))
  for (const [status, { description, content }] of Object.entries(responses)) {
    expect(description).toMatch(/\S/)
    expect(Object.keys(content)).toEqual([
      status < '300' ? typeOfAnswer(operation) : 'application/problem+json',
    ])
  }
  // What we do not know is refused in requests and may be added to answers.
  for (const schema of objectsIn(requestBody)) expect(schema.additionalProperties).toBeDefined()
  for (const schema of objectsIn(responses)) expect(schema.additionalProperties).not.toBe(false)
})

test('the document has the parts that OpenAPI 3.1 asks for, and no words of 3.0', () => {
  expect(written).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d+$/),
    info: { title: expect.any(String), version: expect.any(String), license: { identifier: 'Apache-2.0' } },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
  expect(Object.keys(written.paths).filter((path) => !path.startsWith('/') || path.endsWith('/'))).toEqual([])
  expect(allIn(written, 'nullable')).toEqual([])
  expect([...allIn(written, 'loggable'), ...allIn(written, 'faultDetail')]).toEqual([])
  const tags = written.tags.map(({ name }: { name: string }) => name)
  for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining(operation.tags))
})

function typeOfAnswer({ operationId }: DescribedOperation): string {
  const { streams, document } = operations.find(({ id }) => id === operationId) as Operation
  return document ?? (streams ? 'text/event-stream' : 'application/json')
}

type Schema = {
  readonly type?: unknown
  readonly properties?: object
  readonly additionalProperties?: unknown
}
type Parameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}
type DescribedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: { readonly [status: string]: { description: string; content: object } }
}

function describedOperations() {
  return Object.entries<Record<string, DescribedOperation>>(written.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The values of all members of that name, however deep. */
function allIn(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inner]) => [
    ...(member === name ? [inner] : []),
    ...allIn(inner, name),
  ])
}

function isMute({ description = '' }: { readonly description?: string }): boolean {
  return !/^[^a-z].*[.:?)]$/s.test(description)
}

/** Members without a sentence, however deep. The word in `object` speaks for itself. */
function muteIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as { properties?: Record<string, Schema & { description?: string }> }
  const mute = Object.entries(properties).filter(
    ([, member]) => isMute(member) && !('const' in member) && !('$ref' in member),
  )
  const inner = Object.entries(value).flatMap(([name, part]) =>
    name === 'examples' ? [] : muteIn(part, name === 'properties' ? path : `${path}/${name}`),
  )
  return [...mute.map(([name]) => `${path}/${name}`), ...inner]
}

/** Schemas of objects with declared members, however deep. */
function objectsIn(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  const isSchema = 'properties' in value && 'type' in value
  return isSchema ? [value as Schema, ...inner] : inner
}
