import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Switchyard } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { nouns } from './nouns.generated.ts'
import { actBy, getFrom, kindOf, listFrom, nounOfId } from './nouns.ts'

const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))
const paths = new Map<string, string>(
  Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    methods.get === undefined ? [] : [[methods.get.operationId, path]],
  ),
)
const readings = nouns.flatMap((noun) => [
  ...(noun.list ? [{ operation: `${noun.name}.list`, noun, ids: noun.list.ids }] : []),
  ...(noun.get ? [{ operation: `${noun.name}.get`, noun, ids: noun.get.ids }] : []),
])

test.each(readings)('$operation is called by the SDK at its own path', async ({ operation, noun, ids }) => {
  const asked: string[] = []
  const answer = async (url: unknown) => {
    asked.push(new URL(String(url)).pathname)
    return new Response('{"object":"list","data":[],"has_more":false}')
  }
  const client = new Switchyard({ token: 'sk_test_of_nobody', fetch: answer as typeof fetch })

  await (operation.endsWith('.list') ? listFrom(client, noun, ids, {}).page() : getFrom(client, noun, ids))

  expect(asked).toEqual([paths.get(operation)?.replaceAll(/[{}]/g, '')])
})

const actions = nouns.flatMap((noun) =>
  (noun.actions ?? []).map((action) => ({ operation: `${noun.name}.${action.verb}`, noun, action })),
)
const described = new Map(
  Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method} ${path}`] as const),
  ),
)

test.each(actions)(
  '$operation is sent by the SDK as it is described',
  async ({ operation, noun, action }) => {
    const sent: unknown[] = []
    const answer = async (url: unknown, { method, body }: { method: string; body?: string }) => {
      sent.push([`${method.toLowerCase()} ${new URL(String(url)).pathname}`, body ? JSON.parse(body) : null])
      return new Response('{"object":"list","data":[],"has_more":false}')
    }
    const client = new Switchyard({ token: 'sk_test_of_nobody', fetch: answer as unknown as typeof fetch })
    const body = action.members === undefined ? {} : { a: 1 }

    await actBy(client, noun, action, { ids: action.ids, body, options: {} })

    const place = described.get(operation)?.replaceAll(/[{}]/g, '')
    expect(sent).toEqual([[place, action.members === undefined ? null : body]])
  },
)

test('nothing that the API can do is left out but what needs a payer, and what is no JSON', () => {
  const known = new Set([...readings, ...actions].map(({ operation }) => operation))

  expect([...described.keys()].filter((id) => !known.has(id)).toSorted()).toEqual([
    'events.stream',
    'invoices.pdf',
    'me.get',
    'public_checkout_sessions.confirm',
    'public_checkout_sessions.get',
    'search.list',
  ])
})

test('there are nouns to read', () => {
  expect(readings.length).toBeGreaterThan(40)
})

test.each([
  ['payment_test_01M7CYVT8DEAKR7XXXYMVW8SS4', 'payment', 'payments'],
  ['payment_01M7CYVT8DEAKR7XXXYMVW8SS4', 'payment', 'payments'],
  ['dunning_policy_test_01m7cyvt8deakr7xxxymvw8ss4', 'dunning_policy', 'dunning_policies'],
])('%s is a %s', (id, kind, noun) => {
  expect(kindOf(id)).toBe(kind)
  expect(nounOfId(nouns, id).name).toBe(noun)
})

test.each(['', 'payment', 'payment_test_', 'nothing_test_01M7CYVT8DEAKR7XXXYMVW8SS4'])(
  '"%s" is no id',
  (id) => {
    expect(() => nounOfId(nouns, id)).toThrow('is not the id')
  },
)
