// Every status that the API can answer has a mark of its own: shape, word and colour.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { lookOf } from '../src/format/status.ts'

type Schema = { readonly [name: string]: unknown }
const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))

test('each status of each object of the API has a mark', () => {
  const statuses = [...new Set(statusesIn(document.components.schemas))].sort()

  expect(statuses.length).toBeGreaterThan(30)
  expect(statuses.filter((status) => lookOf(status) === null)).toEqual([])
})

/** The values of all members that are called `status`, however deep. */
function statusesIn(schema: Schema): string[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return []
    const own = name === 'status' ? valuesOf(value as Schema) : []
    return [...own, ...statusesIn(value as Schema)]
  })
}

function valuesOf(schema: Schema): string[] {
  const {
    enum: values = [],
    const: value,
    anyOf = [],
  } = schema as { enum?: unknown[]; const?: unknown; anyOf?: Schema[] }
  const here = [...values, value].filter((entry) => typeof entry === 'string')
  return [...here, ...anyOf.flatMap(valuesOf)]
}
