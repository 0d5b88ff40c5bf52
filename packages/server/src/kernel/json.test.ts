import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical, isSameJson } from './json.ts'

test('the order of members does not matter; everything else does', () => {
  expect(canonical({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}')
  expect(canonical([2, 1])).toBe('[2,1]')
  expect(canonical(undefined)).toBe('')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reordered = Object.fromEntries(Object.entries(object).toReversed())
      expect(canonical(reordered)).toBe(canonical(object))
      expect(JSON.parse(canonical(object))).toEqual(JSON.parse(JSON.stringify(object)))
    }),
  )
})

test('two values are equal exactly if their canonical JSON is equal', () => {
  const small = fc.jsonValue({ maxDepth: 2 })
  fc.assert(
    fc.property(small, small, fc.dictionary(fc.string(), small), (a, b, object) => {
      expect(isSameJson(a, b)).toBe(canonical(a) === canonical(b))
      const reordered = Object.fromEntries(Object.entries(object).toReversed())
      expect(isSameJson(JSON.parse(JSON.stringify(reordered)), object)).toBe(true)
      expect(isSameJson({ ...object, added: a }, object)).toBe(
        canonical({ ...object, added: a }) === canonical(object),
      )
    }),
  )
  expect(isSameJson({ a: 1 }, { b: 1 })).toBe(false)
  expect(isSameJson({ a: undefined }, { b: undefined })).toBe(false)
  expect(isSameJson([1, 2], [1])).toBe(false)
  expect(isSameJson(null, {})).toBe(false)
  expect(isSameJson([], {})).toBe(false)
})
