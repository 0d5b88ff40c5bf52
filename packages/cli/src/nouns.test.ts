import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Switchyard } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { nouns } from './nouns.generated.ts'
import { callAction, callGet, callList, kindOf, nounOfId } from './nouns.ts'

const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))
const paths = new Map<string, string>(
  Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    methods.get === undefined ? [] : [[methods.get.operationId, path]],
  ),
)
const reads = nouns.flatMap((noun) => [
  ...(noun.list ? [{ operation: `${noun.name}.list`, noun, ids: noun.list.ids }] : []),
  ...(noun.get ? [{ operation: `${noun.name}.get`, noun, ids: noun.get.ids }] : []),
])

test.each(reads)(
  'the SDK calls $operation at the path given in the OpenAPI document',
  async ({ operation, noun, ids }) => {
    const requestedPaths: string[] = []
    const fakeFetch = async (url: unknown) => {
      requestedPaths.push(new URL(String(url)).pathname)
      return new Response('{"object":"list","data":[],"has_more":false}')
    }
    const client = new Switchyard({ token: 'sk_test_unused', fetch: fakeFetch as typeof fetch })

    await (operation.endsWith('.list') ? callList(client, noun, ids, {}).page() : callGet(client, noun, ids))

    expect(requestedPaths).toEqual([paths.get(operation)?.replaceAll(/[{}]/g, '')])
  },
)

const actions = nouns.flatMap((noun) =>
  (noun.actions ?? []).map((action) => ({ operation: `${noun.name}.${action.verb}`, noun, action })),
)
const documentedOperations = new Map(
  Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method} ${path}`] as const),
  ),
)

test.each(actions)(
  'the SDK sends $operation with the method and path given in the OpenAPI document',
  async ({ operation, noun, action }) => {
    const sent: unknown[] = []
    const fakeFetch = async (url: unknown, { method, body }: { method: string; body?: string | object }) => {
      const sentBody = typeof body === 'string' ? JSON.parse(body) : (body ?? null)
      sent.push([`${method.toLowerCase()} ${new URL(String(url)).pathname}`, sentBody])
      return new Response('{"object":"list","data":[],"has_more":false}')
    }
    const client = new Switchyard({ token: 'sk_test_unused', fetch: fakeFetch as unknown as typeof fetch })
    const hasBody = action.members !== undefined || action.file === true
    const body = action.file ? new ReadableStream() : hasBody ? { a: 1 } : {}

    await callAction(client, noun, action, { ids: action.ids, body, options: {} })

    const expectedCall = documentedOperations.get(operation)?.replaceAll(/[{}]/g, '')
    expect(sent).toEqual([[expectedCall, hasBody ? body : null]])
  },
)

test('every operation is a command, except those for payers and those without a JSON response', () => {
  const commands = new Set([...reads, ...actions].map(({ operation }) => operation))

  expect([...documentedOperations.keys()].filter((id) => !commands.has(id)).toSorted()).toEqual([
    'credit_notes.pdf',
    'credit_notes.xml',
    'events.stream',
    'invoices.pdf',
    'invoices.xml',
    'me.get',
    'public_checkout_sessions.confirm',
    'public_checkout_sessions.get',
    'search.list',
  ])
})

test('the generated nouns are not empty', () => {
  expect(reads.length).toBeGreaterThan(40)
})

test.each([
  ['payment_test_01M7CYVT8DEAKR7XXXYMVW8SS4', 'payment', 'payments'],
  ['payment_01M7CYVT8DEAKR7XXXYMVW8SS4', 'payment', 'payments'],
  ['dunning_policy_test_01m7cyvt8deakr7xxxymvw8ss4', 'dunning_policy', 'dunning_policies'],
])('the id %s belongs to a %s', (id, kind, noun) => {
  expect(kindOf(id)).toBe(kind)
  expect(nounOfId(nouns, id).name).toBe(noun)
})

test.each(['', 'payment', 'payment_test_', 'nothing_test_01M7CYVT8DEAKR7XXXYMVW8SS4'])(
  '"%s" is not an id',
  (id) => {
    expect(() => nounOfId(nouns, id)).toThrow('is not the id')
  },
)
