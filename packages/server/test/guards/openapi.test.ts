// The committed OpenAPI document is up to date and consistent, the server serves it, and it describes all
// routes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { expect, test } from 'vitest'
import { followReferences } from '../../../../scripts/generate/follow-references.ts'
import { documentOf } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { signInRoutes } from '../../src/domains/access/sign-in/routes.ts'
import { errors } from '../../src/kernel/errors.ts'
import { operationsOf } from '../../src/operations.ts'
import { errorCodesOf } from '../../src/platform/http/openapi-problems.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { validatorOptions } from '../../src/platform/http/validation.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { root, sourceFiles } from './support/repository.ts'
import { collectRoutes } from './support/routes.ts'

const routes = collectRoutes()
const switchyard = await switchyardForThisFile()

/** Routes that are not operations: pages, the OpenAPI document itself, and public routes. */
const otherRoutes = [
  'GET /a/:link',
  'GET /a/:link/return',
  'POST /a/:link/return',
  'GET /l/:slug',
  'GET /i/:slug',
  'GET /i/:slug/pdf',
  ...['GET', 'POST'].map((method) => `${method} /u/:slug`),
  'GET /p/:slug',
  ...['GET', 'POST'].flatMap((method) =>
    ['card', 'details', 'subscriptions/:subscription_id/:action'].map((path) => `${method} /p/:slug/${path}`),
  ),
  'POST /p/:slug/select-card',
  'GET /k/:slug',
  ...['GET', 'POST'].flatMap((method) =>
    ['/k/:slug/:type', '/kc/:request_slug'].map((path) => `${method} ${path}`),
  ),
  ...['links/:slug', 'sessions/:checkout_session_id'].flatMap((page) =>
    ['login-codes', 'login-codes/:login_code_id', 'promotion-code'].map(
      (part) => `POST /checkout/${page}/${part}`,
    ),
  ),
  'GET /downloads/:token',
  'GET /c/:checkout_session_id',
  'GET /checkout/assets/:name',
  'GET /e/:publishable_token/payment',
  'GET /elements/assets/:name',
  'GET /elements/v1.js',
  'GET /checkout/links/:slug',
  'POST /checkout/links/:slug/sessions',
  ...['', '/receipt'].map((part) => `GET /checkout/sessions/:checkout_session_id${part}`),
  'POST /checkout/sessions/:checkout_session_id/confirm',
  'POST /checkout/sessions/:checkout_session_id/change-method',
  'POST /i/:slug/pay',
  'GET /docs',
  'GET /docs/*',
  'GET /docs/assets/:name',
  'GET /llms.txt',
  'GET /openapi.json',
  'POST /provider-webhooks/:provider_account_id',
  'POST /mail-events/:adapter',
  // The dashboard, at its own address.
  'GET /mail-frame',
  'GET /*',
  'GET /assets/:name',
  ...signInRoutes({} as Deps).map(({ method, path }) => `${method} ${path}`),
].toSorted()

const operations = operationsOf({} as Deps)
const committed = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
const dereferenced = followReferences(committed) as typeof committed
const described = describedOperations()

test('every schema of an operation can be compiled, which the server does when it is first used', () => {
  const [validator, serializer] = [
    AjvCompiler()({}, validatorOptions({ coerceTypes: true })),
    SerializerSelector()(),
  ]
  const route = { method: 'POST', url: '/', httpPart: 'body', httpStatus: '200' }
  for (const { params, query, body, response, accepted } of operations) {
    for (const schema of [params, query, body])
      if (schema !== undefined) expect(validator({ ...route, schema } as never)).toBeTypeOf('function')
    for (const schema of [response, accepted?.response])
      if (schema !== undefined) expect(serializer({ ...route, schema } as never)).toBeTypeOf('function')
  }
})

test('the committed document is the one that is generated from the operations', () => {
  expect(committed, 'Run `npm run generate` and commit the result.').toEqual(
    JSON.parse(JSON.stringify(documentOf(operations))),
  )
})

test.each(['live', 'test'] as const)(
  'the %s address serves the committed document, with its own address',
  async (mode) => {
    const { status, headers, body } = await switchyard.call(mode, 'GET', '/openapi.json')

    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({ ...committed, servers: expect.any(Array) })
    expect(body.servers).toMatchObject([{ url: switchyard.addresses[mode] }])
  },
)

test.each(['br', 'gzip', 'identity'])('the document is sent with the encoding %s', async (encoding) => {
  const url = `${switchyard.addresses.test}/openapi.json`
  const response = await fetch(url, { headers: { 'accept-encoding': encoding } })

  expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
  expect(response.headers.get('vary')).toContain('accept-encoding')
  const length = Number(response.headers.get('content-length'))
  expect(encoding === 'identity' ? length > 500_000 : length < 200_000).toBe(true)
  // fetch decompresses.
  expect(await response.json()).toEqual({ ...committed, servers: expect.any(Array) })
  const etag = response.headers.get('etag') ?? ''
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('the document describes every route except pages and public routes', () => {
  const operationRoutes = routes.filter(({ operation }) => operation !== null)
  const pages = routes.filter(({ operation }) => operation === null)

  expect(new Set(operationRoutes.map(({ method, url }) => `${method} ${url}`))).toEqual(
    new Set(described.map(({ method, path }) => `${method} ${path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`)),
  )
  expect([...new Set(pages.map(({ method, url }) => `${method} ${url}`))].toSorted()).toEqual(otherRoutes)
})

test('every operation has a unique id in the form <objects>.<verb>, and a summary', () => {
  const ids = described.map(({ operation }) => operation.operationId)

  expect(ids.filter((id) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(operations.length)
  expect(described.filter(({ operation }) => !/^[A-Z].{5,60}[^.]$/.test(operation.summary))).toEqual([])
})

test('every resource, operation, parameter and member has a description in sentences', () => {
  const undescribed = [
    ...committed.tags.filter(lacksDescription).map(({ name }: { name: string }) => name),
    ...described
      .filter(({ operation }) => lacksDescription(operation))
      .map(({ operation }) => operation.operationId),
    ...described.flatMap(({ operation: { operationId, parameters, requestBody } }) => [
      ...parameters.filter(lacksDescription).map(({ name }) => `${operationId} ${name}`),
      ...findUndescribed(requestBody, `${operationId} body`),
    ]),
    ...findUndescribed(dereferenced.components.schemas, ''),
  ]

  expect(undescribed).toEqual([])
  expect(
    findUndescribed({ a: { properties: { b: { type: 'string', description: 'no sentence' } } } }, ''),
  ).toEqual(['/a/b'])
})

test('every reference can be resolved, and every shared component is used', () => {
  const references = findMembers(committed, '$ref') as string[]
  const names = ['schemas', 'headers', 'parameters', 'responses'].flatMap((kind) =>
    Object.keys(committed.components[kind]).map((name) => `#/components/${kind}/${name}`),
  )

  expect(references).not.toHaveLength(0)
  expect(new Set(references)).toEqual(new Set(names))
})

test('error responses, request bodies and repeated parameters are shared components', () => {
  const methods = Object.values<Record<string, DescribedOperation>>(committed.paths)
  const raw = methods.flatMap((operations) => Object.values(operations))
  const errorResponses = raw.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => (status < '300' ? [] : [response])),
  )
  const bodies = raw.flatMap(({ requestBody }) =>
    // The content of an uploaded file has no schema to share.
    requestBody === undefined || !('application/json' in requestBody.content)
      ? []
      : [findMembers(requestBody, 'schema')],
  )
  const inlineParameters = raw.flatMap(({ parameters }) =>
    parameters.filter((parameter) => !('$ref' in parameter)),
  )
  const texts = inlineParameters.map((parameter) => JSON.stringify(parameter))

  expect(errorResponses.filter((response) => Object.keys(response).join() !== '$ref')).toEqual([])
  expect(bodies.flat().filter((schema) => Object.keys(schema as object).join() !== '$ref')).toEqual([])
  expect(
    texts.filter((text, index) => texts.indexOf(text) !== index).map((text) => JSON.parse(text).name),
  ).toEqual(['test_clocks'])
  expect(
    findMembers(committed, 'enum').filter((values) => (values as unknown[]).includes('eur')),
  ).toHaveLength(1)
})

test('every error code of an operation is in the catalogue and in the document', () => {
  for (const operation of operations) {
    const codes = errorCodesOf(operation)
    expect(codes.filter((code) => !Object.hasOwn(errors, code))).toEqual([])
    const found = described.find(({ operation: { operationId } }) => operationId === operation.id)
    expect(findMembers(found?.operation.responses, 'x-codes').flat().toSorted()).toEqual(codes.toSorted())
  }
})

test.each(described)('$method $path is a valid operation of OpenAPI 3.1', ({ path, operation }) => {
  const { parameters, responses, requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')

  expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name))
  expect(inPath.every(({ required }) => required)).toBe(true)
  for (const { name, schema } of parameters) {
    expect(name).toMatch(/\S/)
    expect(schema.type).toBeDefined()
  }
  // One success response, or a second one, 202, for a result that is not final yet.
  const successes = Object.keys(responses).filter((status) => /^20[012]$/.test(status))
  expect(['200', '201', '202', '200 202', '201 202']).toContain(successes.join(' '))
  for (const [status, { description, content }] of Object.entries(responses)) {
    expect(description).toMatch(/\S/)
    expect(Object.keys(content)).toEqual([
      status < '300' ? responseType(operation) : 'application/problem+json',
    ])
  }
  // Requests with unknown members are rejected, but responses may get additional members.
  for (const schema of findObjectSchemas(requestBody)) expect(schema.additionalProperties).toBeDefined()
  for (const schema of findObjectSchemas(responses)) expect(schema.additionalProperties).not.toBe(false)
})

test('the document has the members that OpenAPI 3.1 requires, and no members of 3.0', () => {
  expect(committed).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d+$/),
    info: { title: expect.any(String), version: expect.any(String), license: { identifier: 'Apache-2.0' } },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
  expect(Object.keys(committed.paths).filter((path) => !path.startsWith('/') || path.endsWith('/'))).toEqual(
    [],
  )
  expect(findMembers(committed, 'nullable')).toEqual([])
  expect([...findMembers(committed, 'loggable'), ...findMembers(committed, 'faultDetail')]).toEqual([])
  const tags = committed.tags.map(({ name }: { name: string }) => name)
  for (const { operation } of described) expect(tags).toEqual(expect.arrayContaining(operation.tags))
})

test('tags are grouped by area, and each area is a folder of domains', () => {
  const groups: readonly { name: string; tags: readonly string[] }[] = committed['x-tagGroups']
  const routeFiles = sourceFiles().flatMap(({ path, text }) => {
    const area = /^domains\/([^/]+)\/[^/]+\/routes(\.ts|\/)/.exec(path)?.[1]
    return area === undefined ? [] : [{ area, text }]
  })
  // An operation of a resource may be declared in a later area: deleting a customer ends its subscriptions.
  const misplaced = groups.flatMap(({ name, tags }) => {
    const texts = routeFiles.filter(({ area }) => area === name.toLowerCase()).map(({ text }) => text)
    const isDeclaredInArea = (tag: string) =>
      described.some(
        ({ operation }) =>
          operation.tags.includes(tag) &&
          texts.some((text) => text.includes(`id: '${operation.operationId}'`)),
      )
    return tags.filter((tag) => tag !== 'Webhooks' && !isDeclaredInArea(tag))
  })

  expect(misplaced).toEqual([])
  expect(groups.map(({ name }) => name.toLowerCase()).toSorted()).toEqual(
    [...new Set(routeFiles.map(({ area }) => area))].toSorted(),
  )
  expect(groups.flatMap(({ tags }) => tags).toSorted()).toEqual(
    committed.tags.map(({ name }: { name: string }) => name).toSorted(),
  )
})

test('operations are in the order of their tags', () => {
  const tags: readonly string[] = committed.tags.map(({ name }: { name: string }) => name)
  const used = new Set(described.map(({ operation }) => operation.tags[0] ?? ''))

  expect([...used]).toEqual(tags.filter((tag) => used.has(tag)))
})

function responseType({ operationId }: DescribedOperation): string {
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
  readonly requestBody?: { readonly content: object }
  readonly responses: { readonly [status: string]: { description: string; content: object } }
}

function describedOperations() {
  return Object.entries<Record<string, DescribedOperation>>(dereferenced.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The values of all members with this name, at any depth. */
function findMembers(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, inner]) => [
    ...(member === name ? [inner] : []),
    ...findMembers(inner, name),
  ])
}

function lacksDescription({ description = '' }: { readonly description?: string }): boolean {
  return !/^[^a-z].*[.:?)]$/s.test(description)
}

/** Members without a description, at any depth. Constants such as `object` need none. */
function findUndescribed(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as { properties?: Record<string, Schema & { description?: string }> }
  const undescribed = Object.entries(properties).filter(
    ([, member]) => lacksDescription(member) && !('const' in member) && !('$ref' in member),
  )
  const inner = Object.entries(value).flatMap(([name, part]) =>
    name === 'examples' ? [] : findUndescribed(part, name === 'properties' ? path : `${path}/${name}`),
  )
  return [...undescribed.map(([name]) => `${path}/${name}`), ...inner]
}

/** Schemas of objects with declared members, at any depth. */
function findObjectSchemas(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(findObjectSchemas)
  const isSchema = 'properties' in value && 'type' in value
  return isSchema ? [value as Schema, ...inner] : inner
}
