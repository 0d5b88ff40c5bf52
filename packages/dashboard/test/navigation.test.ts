// The navigation shows the areas of the API, in the order of the OpenAPI document.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { areas } from '../src/shell/navigation.ts'

const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))

test('the navigation has the areas of the API, in the same order', () => {
  const shown = areas.map(({ title }) => title)
  const names: readonly string[] = document['x-tagGroups'].map(({ name }: { name: string }) => name)

  expect(shown).toEqual(names)
})
