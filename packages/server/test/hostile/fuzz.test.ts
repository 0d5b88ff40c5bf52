import { AjvCompiler } from '@fastify/ajv-compiler'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operation } from '../../src/platform/http/operation.ts'
import { validatorOptions } from '../../src/platform/http/validation.ts'
import { versions } from '../../src/versions/registry.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { closed, junk, mutated, queryOf } from './support/arbitraries.ts'
import { ask, type Reply } from './support/ask.ts'
import { expectHarmless } from './support/harmless.ts'
import { operations, pathOf, placesIn } from './support/targets.ts'

const switchyard = await switchyardForThisFile()
const workspace = await switchyard.newWorkspace()
const runsPerOperation = 30

/** Ids that the answers gave: what was made in one call is read, changed and removed in later ones. */
const known = Object.entries(await placesIn(workspace)).map(([, id]) => id)

const compile = AjvCompiler()({}, validatorOptions({ coerceTypes: false }))
const fits = new Map(
  operations.map((operation) => {
    const { id, method, path, answer } = operation
    return [id, compile({ schema: closed(answer), method, url: path, httpPart: '200' } as never)]
  }),
)

const oddHeaders = fc.record(
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

/** Mostly none: a wrong field is refused before anything else is looked at. */
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: oddHeaders },
) as typeof oddHeaders

const place = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map((at) => () => known[at % known.length] as string) },
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

function callOf(operation: Operation) {
  const body = operation.body === undefined ? fc.oneof(fc.constant({}), junk) : mutated(operation.body)
  return fc.record({
    place,
    query: queryOf(operation.query),
    headers,
    body: operation.method === 'GET' ? fc.constant(undefined) : fc.option(body, { nil: undefined }),
  })
}

type Call = { place: () => string; query: string; headers: Record<string, string>; body: unknown }

async function call(operation: Operation, sent: Call): Promise<Reply> {
  const names = [...operation.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => [name, sent.place()])
  const path = pathOf(operation, Object.fromEntries(names)) + sent.query
  return ask(workspace.address, {
    method: operation.method,
    path,
    token: workspace.token,
    // Nobody may change under our feet in which version we are answered.
    headers: { 'switchyard-version': versions.current, ...ascii(sent.headers) },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
  })
}

const counts = new Map<number, number>()

test.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s answers whatever it is asked with its own schema or a refusal',
  async (id, operation) => {
    await fc.assert(
      fc.asyncProperty(callOf(operation), async (sent) => {
        const reply = await call(operation, sent)
        counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1)
        expectHarmless(reply, id)
        if (reply.status >= 300 || operation.streams) return
        if (reply.headers['switchyard-version'] === versions.current) expectFit(id, reply)
        const { id: made, deleted, object } = reply.body ?? {}
        if (typeof made === 'string' && !deleted && object !== 'workspace') known.push(made)
      }),
      { numRuns: runsPerOperation },
    )
  },
)

/** A document that is not JSON is the text that it is. */
function expectFit(id: string, { body: json, text }: Reply): void {
  const body = json ?? text
  const validate = fits.get(id) as unknown as { (value: unknown): boolean; errors: unknown }
  expect(validate(body), `${id}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`).toBe(true)
}

test('the calls were neither all refused nor all taken', () => {
  expect(counts.get(200)).toBeGreaterThan(50)
  expect(counts.get(400)).toBeGreaterThan(50)
  expect(counts.get(404)).toBeGreaterThan(5)
})

/** Node refuses to send fields with other characters, so they are sent in the raw-socket tests instead. */
function ascii(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, text.replaceAll(/[^\x20-\x7e]/g, '?')]),
  )
}
