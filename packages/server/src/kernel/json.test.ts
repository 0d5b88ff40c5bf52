import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical } from './json.ts'

test('the order of members does not matter, and everything else does', () => {
  expect(canonical({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}')
  expect(canonical([2, 1])).toBe('[2,1]')
  expect(canonical(undefined)).toBe('')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const turned = Object.fromEntries(Object.entries(object).toReversed())
      expect(canonical(turned)).toBe(canonical(object))
      expect(JSON.parse(canonical(object))).toEqual(JSON.parse(JSON.stringify(object)))
    }),
  )
})
