// No request may block the event loop for long, because all other requests of the process have to wait. Every
// operation, public route and dashboard route gets the largest body that its schema allows and the body with the most
// violations. Payment routes also get definitions that are expensive to check, and lists are read with a full page of
// the largest objects.

import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { signInRoutes } from '../../src/domains/access/sign-in/routes.ts'
import { operationsOf, publicRoutesOf } from '../../src/operations.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { longestBlockMs } from './support/event-loop-time.ts'
import { heavyRoutes } from './support/heavy-routes.ts'
import { fitBody, largestValue, longMembers, maxBodyBytes, mostInvalidValue } from './support/largest-body.ts'
import { createBody, createObject, createObjects, headersOf, pathWith } from './support/sample-requests.ts'
import { createVisitor } from './support/sample-visitor.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** CPU time for which a request may block the event loop. */
const maxBlockMs = 50
/**
 * The best of several runs counts, so that garbage collection and JIT compilation do not distort the result.
 */
const maxRuns = 3

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const operations = operationsOf({} as Deps)
const measurements: { readonly label: string; readonly ms: number; readonly status: number }[] = []
const workspace = await switchyard.newWorkspace()

afterAll(() => {
  const worst = measurements.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  console.log(worst.map(({ label, ms, status }) => `${ms.toFixed(1)} ms: ${label} (${status})`).join('\n'))
})

type Call = {
  readonly path: string
  readonly body?: string
  readonly headers?: Record<string, string>
  /** The server; by default the test API. */
  readonly address?: string
}

async function expectShortBlock(label: string, method: string, call: Call): Promise<void> {
  const { path, body, headers = {}, address = workspace.address } = call
  let best = Number.POSITIVE_INFINITY
  let status = 0
  for (let run = 0; run < maxRuns && best > maxBlockMs; run += 1) {
    const ms = await longestBlockMs(async () => {
      const response = await fetch(address + path, {
        method,
        headers: {
          authorization: `Bearer ${workspace.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      })
      status = response.status
      // Read only the bytes, because parsing the JSON would take CPU time of the client, not of the server.
      await response.arrayBuffer()
    })
    best = Math.min(best, ms)
  }
  measurements.push({ label, ms: best, status })
  expect(status, label).toBeLessThan(500)
  expect(best, label).toBeLessThan(maxBlockMs)
}

const writes = operations.filter(({ method, upload }) => method !== 'GET' && upload === undefined)

/** Large valid and invalid bodies for one operation. `validMembers` contains the members that must stay valid. */
function createBodies(
  { body: schema }: { readonly body?: Operation['body'] },
  validMembers: object,
): { readonly [name: string]: string } {
  if (schema === undefined) return {}
  return {
    'long members': fitBody((entries) => ({ ...longMembers(schema, entries), ...validMembers })),
    'all members': fitBody((entries) => ({ ...(largestValue(schema, entries) as object), ...validMembers })),
    'wrong members': fitBody((entries) => ({
      ...(mostInvalidValue(schema, entries) as object),
      ...validMembers,
    })),
    'wrong body': fitBody((entries) => mostInvalidValue(schema, entries) as object),
  }
}

describe.each(writes.map((operation) => ({ id: operation.id, operation })))('$id', ({ operation }) => {
  test('handles the largest body without blocking the event loop', async () => {
    const validMembers = ((await createBody(workspace, operation)) ?? {}) as object
    const ids = await createObjects(workspace, operation)
    const call = { path: pathWith(operation, ids), headers: headersOf(operation, ids) }
    for (const [name, body] of Object.entries(createBodies(operation, validMembers)))
      await expectShortBlock(`${operation.id}, ${name}`, operation.method, { ...call, body })
  })
})

/** A body with as many values as possible. */
const manyValues = (members: object = {}) =>
  fitBody((entries) => ({ ...members, x: Array.from({ length: 128 }, () => Array(entries).fill(0)) }))

test('a body with as many values as possible is parsed without blocking the event loop', async () => {
  await expectShortBlock('many values', 'POST', { path: '/customers', body: manyValues() })
})

describe('public routes', async () => {
  const visitor = await createVisitor(simulator, await switchyard.newWorkspace())

  test.each(publicRoutesOf({} as Deps).map((route) => ({ name: `${route.method} ${route.path}`, ...route })))(
    '$name handles the largest request without blocking the event loop',
    async ({ name, method, path, bodySchema }) => {
      const call = visitor.callOf(path)
      if (method === 'GET') {
        await expectShortBlock(name, method, call)
        const query = Array.from({ length: 800 }, (_, index) => `n${index}=x`).join('&')
        return expectShortBlock(`${name}, long query`, method, { ...call, path: `${call.path}?${query}` })
      }
      const bodies =
        bodySchema === undefined
          ? await visitor.webhookBodies(manyValues)
          : createBodies({ body: bodySchema }, visitor.legalBodyOf(path))
      for (const [label, body] of Object.entries(bodies))
        await expectShortBlock(`${name}, ${label}`, method, { ...call, ...visitor.sign(call.path, body) })
    },
  )
})

describe('dashboard routes', async () => {
  const { cookie } = await switchyard.signIn(await workspace.aPerson('ADMIN'))
  const address = switchyard.dashboardUrl
  const headers = { cookie: cookie() ?? '', origin: address }
  const credential = {
    id: 'x',
    response: { clientDataJSON: 'e30'.repeat(20_000), signature: 'x'.repeat(20_000) },
  }
  const legalBodies: { readonly [path: string]: object } = {
    '/session/passkey': credential,
    '/session/passkeys': { credential },
  }

  test.each(signInRoutes({} as Deps).map((route) => ({ name: `${route.method} ${route.path}`, ...route })))(
    '$name handles the largest request without blocking the event loop',
    async ({ name, method, path, bodySchema }) => {
      const call = { address, headers, path: path.replaceAll(/:\w+/g, 'unknown') }
      if (method === 'GET') return expectShortBlock(name, method, call)
      const bodies =
        bodySchema === undefined
          ? { 'long text': JSON.stringify({ x: 'x'.repeat(maxBodyBytes - 100) }) }
          : createBodies({ body: bodySchema }, legalBodies[path] ?? {})
      // A credential may contain any members.
      const validMembers = path === '/session/passkey' ? { 'many values': manyValues(credential) } : {}
      for (const [label, body] of Object.entries({ ...bodies, ...validMembers }))
        await expectShortBlock(`${name}, ${label}`, method, { ...call, body })
    },
  )
})

test.each([
  ['a long parameter', `/payment/${'x'.repeat(7_000)}`],
  ['many parts', '/a'.repeat(3_500)],
])('an unknown path with %s is rejected without blocking the event loop', async (label, path) => {
  await expectShortBlock(`unknown path, ${label}`, 'GET', { path })
})

describe('a payment route that is expensive to check does not block the event loop', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 10 }, () => createObject(workspace, 'provider_account_id')),
  )

  test.each(Object.entries(heavyRoutes(accounts)))('%s', async (name, route) => {
    const { body: saved } = await workspace.post('/payment-routes', { ...route, draft: true })
    const path = `/payment-routes/${saved.id}`
    const definition = JSON.stringify(route)
    const draft = JSON.stringify({ ...route, name: 'Other', draft: true })
    const operands = { amount: 1299, currency: 'eur', 'metadata.a': 'b' }
    expect(saved.status).toBe('active')
    await expectShortBlock(`lint, ${name}`, 'POST', { path: '/payment-routes/lint', body: definition })
    await expectShortBlock(`create, ${name}`, 'POST', { path: '/payment-routes', body: draft })
    await expectShortBlock(`update, ${name}`, 'PUT', { path, body: draft })
    const simulation = JSON.stringify({ definition: route, operands })
    if (simulation.length <= maxBodyBytes)
      await expectShortBlock(`simulate, ${name}`, 'POST', { path: `${path}/simulate`, body: simulation })
    await expectShortBlock(`diff, ${name}`, 'GET', { path: `${path}/revisions/2/diff?against=1` })
  })

  test('a full page of large routes or revisions', async () => {
    const [route] = Object.values(heavyRoutes(accounts))
    const { body: saved } = await workspace.post('/payment-routes', { ...route, draft: true })
    const path = `/payment-routes/${saved.id}`
    for (const name of ['B', 'C', 'D', 'E', 'F']) await workspace.put(path, { ...route, name, draft: true })

    await expectShortBlock('revisions', 'GET', { path: `${path}/revisions?limit=100` })
    await expectShortBlock('routes', 'GET', { path: '/payment-routes?limit=100' })
  })
})
