// No request may block the event loop for long, because all other requests of the process wait meanwhile.
// Every operation gets the largest body that its schema allows and the body with the most violations. Payment
// routes also get definitions that are expensive to check, and lists are read with a full page of the largest
// objects.

import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { operationsOf } from '../../src/operations.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { longestBlockMs } from './support/event-loop-time.ts'
import { heavyRoutes } from './support/heavy-routes.ts'
import { fitBody, largestValue, longMembers, maxBodyBytes, mostInvalidValue } from './support/largest-body.ts'
import { createBody, createObject, createObjects, headersOf, pathWith } from './support/sample-requests.ts'

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

type Call = { readonly path: string; readonly body?: string; readonly headers?: Record<string, string> }

async function expectShortBlock(label: string, method: string, call: Call): Promise<void> {
  const { path, body, headers = {} } = call
  let best = Number.POSITIVE_INFINITY
  let status = 0
  for (let run = 0; run < maxRuns && best > maxBlockMs; run += 1) {
    const ms = await longestBlockMs(async () => {
      const response = await fetch(workspace.address + path, {
        method,
        headers: {
          authorization: `Bearer ${workspace.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      })
      status = response.status
      // Read only the bytes, because parsing the JSON would be work of the client.
      await response.arrayBuffer()
    })
    best = Math.min(best, ms)
  }
  measurements.push({ label, ms: best, status })
  expect(status, label).toBeLessThan(500)
  expect(best, label).toBeLessThan(maxBlockMs)
}

const writes = operations.filter(({ method }) => method !== 'GET')

/** Large valid and invalid bodies for one operation. `legal` contains the members that must stay valid. */
function createBodies({ body: schema }: Operation, legal: object): { readonly [name: string]: string } {
  if (schema === undefined) return {}
  return {
    'long members': fitBody((entries) => ({ ...longMembers(schema, entries), ...legal })),
    'all members': fitBody((entries) => ({ ...(largestValue(schema, entries) as object), ...legal })),
    'wrong members': fitBody((entries) => ({ ...(mostInvalidValue(schema, entries) as object), ...legal })),
    'wrong body': fitBody((entries) => mostInvalidValue(schema, entries) as object),
  }
}

describe.each(writes.map((operation) => ({ id: operation.id, operation })))('$id', ({ operation }) => {
  test('handles the largest body without blocking the event loop', async () => {
    const legal = (await createBody(workspace, operation)) ?? {}
    const ids = await createObjects(workspace, operation)
    const call = { path: pathWith(operation, ids), headers: headersOf(operation, ids) }
    for (const [name, body] of Object.entries(createBodies(operation, legal)))
      await expectShortBlock(`${operation.id}, ${name}`, operation.method, { ...call, body })
  })
})

test('a body with as many values as possible is parsed without blocking the event loop', async () => {
  const body = fitBody((entries) => ({ x: Array.from({ length: 128 }, () => Array(entries).fill(0)) }))
  await expectShortBlock('many values', 'POST', { path: '/customers', body })
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
