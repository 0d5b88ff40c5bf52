import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Switchyard } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { nouns } from './nouns.generated.ts'
import { getFrom, kindOf, listFrom, nounOfId } from './nouns.ts'

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
