import { AjvCompiler } from '@fastify/ajv-compiler'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/platform/http/operation.ts'
import { validatorOptions } from '../../src/platform/http/validation.ts'
import { withOldVersion as versions } from '../support/old-version.ts'
import { isComplete } from '../support/selection.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { arbitraryJson, arbitraryQuery, closedSchema, mutatedBody } from './support/arbitraries.ts'
import { type RawResponse, sendRawRequest } from './support/raw-request.ts'
import { expectSafeResponse } from './support/response-expectations.ts'
import { createPathParameters, operations, pathOf } from './support/targets.ts'

const switchyard = await switchyardForThisFile({ overrides: { versions } })
const workspace = await switchyard.newWorkspace()
const runsPerOperation = isComplete ? 30 : 10

/** Ids of existing objects. Ids from responses are added, so that later calls use the created objects. */
const knownIds = Object.entries(await createPathParameters(workspace)).map(([, id]) => id)

const compile = AjvCompiler()({}, validatorOptions({ coerceTypes: false }))
const responseValidators = new Map(
  operations.map((operation) => {
    const { id, method, path, response } = operation
    return [id, compile({ schema: closedSchema(response), method, url: path, httpPart: '200' } as never)]
  }),
)

const unusualHeaders = fc.record(
  {
    'idempotency-key': fc.oneof(
      fc.uuid(),
      fc.constantFrom('"quoted"', '', ' ', 'a b', '"', 'x'.repeat(256), 'é'),
    ),
    'if-match': fc.oneof(
      fc.nat(3).map((version) => `"${version}"`),
      fc.constantFrom('*', 'W/"1"', '', '-1', '1e3'),
    ),
    'switchyard-version': fc.constantFrom(
      ...versions.all,
      '',
      '2026-10-02',
      '__proto__',
      '../..',
      '9'.repeat(500),
    ),
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
    traceparent: fc.constantFrom(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'junk', ''),
    accept: fc.constantFrom('*/*', 'text/html', ''),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', "'; select 1", '::1, unknown'),
    prefer: fc.constantFrom('wait=1', 'wait=-1', 'return=minimal'),
  },
  { requiredKeys: [] },
)

/** Most calls have no headers, because an invalid header is rejected before anything else is checked. */
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: unusualHeaders },
) as typeof unusualHeaders

const pathParameter = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map((index) => () => knownIds[index % knownIds.length] as string) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 250 })
      .filter((text) => text.isWellFormed())
      .map((text) => () => encodeURIComponent(text) || '-'),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('%00', '%ff', '%', '%zz', '..', '.', '*', '%2f', '%2e%2e%2f', '__proto__')
      .map((text) => () => text),
  },
)

function arbitraryCall(operation: Operation) {
  const body =
    operation.body === undefined ? fc.oneof(fc.constant({}), arbitraryJson) : mutatedBody(operation.body)
  return fc.record({
    pathParameter,
    query: arbitraryQuery(operation.query),
    headers,
    body: operation.method === 'GET' ? fc.constant(undefined) : fc.option(body, { nil: undefined }),
  })
}

type Call = { pathParameter: () => string; query: string; headers: Record<string, string>; body: unknown }

async function call(operation: Operation, input: Call): Promise<RawResponse> {
  const names = [...operation.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => [name, input.pathParameter()])
  const path = pathOf(operation, Object.fromEntries(names)) + input.query
  return sendRawRequest(workspace.address, {
    method: operation.method,
    path,
    token: workspace.token,
    // Without a generated header, the response has the current version, so that it can be validated.
    headers: { 'switchyard-version': versions.current, ...ascii(input.headers) },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  })
}

const counts = new Map<number, number>()

test.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s responds to every request with a body that matches its schema, or with an error',
  async (id, operation) => {
    await fc.assert(
      fc.asyncProperty(arbitraryCall(operation), async (input) => {
        const response = await call(operation, input)
        counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
        expectSafeResponse(response, id)
        if (response.status >= 300 || operation.streams) return
        if (response.headers['switchyard-version'] === versions.current) expectValid(id, response)
        const { id: createdId, deleted, object } = response.body ?? {}
        if (typeof createdId === 'string' && !deleted && object !== 'workspace') knownIds.push(createdId)
      }),
      { numRuns: runsPerOperation },
    )
  },
)

/** Validates the response. A body that is not JSON is validated as a string. */
function expectValid(id: string, { body: json, text }: RawResponse): void {
  const body = json ?? text
  const validate = responseValidators.get(id) as unknown as { (value: unknown): boolean; errors: unknown }
  expect(validate(body), `${id}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`).toBe(true)
}

test('the calls were neither all rejected nor all accepted', () => {
  expect(counts.get(200)).toBeGreaterThan(50)
  expect(counts.get(400)).toBeGreaterThan(50)
  expect(counts.get(404)).toBeGreaterThan(5)
})

/** Node.js does not send headers with other characters. The tests with raw sockets send them. */
function ascii(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, text.replaceAll(/[^\x20-\x7e]/g, '?')]),
  )
}
