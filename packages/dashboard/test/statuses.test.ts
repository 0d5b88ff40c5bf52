// Every status of the API has a mark: a shape and a colour.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { statusStyle } from '../src/format/status.ts'

type Schema = { readonly [name: string]: unknown }
const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))

test('every status in the OpenAPI document has a mark', () => {
  const statuses = [...new Set(statusesIn(document.components.schemas))].sort()

  expect(statuses.length).toBeGreaterThan(30)
  expect(statuses.filter((status) => statusStyle(status) === null)).toEqual([])
})

/** The values of all members named `status`, at any depth. */
function statusesIn(schema: Schema): string[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return []
    const direct = name === 'status' ? valuesOf(value as Schema) : []
    return [...direct, ...statusesIn(value as Schema)]
  })
}

function valuesOf(schema: Schema): string[] {
  const {
    enum: values = [],
    const: value,
    anyOf = [],
  } = schema as { enum?: unknown[]; const?: unknown; anyOf?: Schema[] }
  const direct = [...values, value].filter((entry) => typeof entry === 'string')
  return [...direct, ...anyOf.flatMap(valuesOf)]
}
