import { expect, test } from 'vitest'
import { exampleOfSchema } from './example.ts'

// biome-ignore format: a table.
test.each([
  ['its first example', { type: 'string', examples: ['a', 'b'], default: 'c' }, 'a'],
  ['its constant', { const: 'customer' }, 'customer'],
  ['its default', { type: 'boolean', default: false }, false],
  ['the first enum value', { type: 'string', enum: ['live', 'test'] }, 'live'],
  ['null, if it is nullable', { type: ['string', 'null'] }, null],
  ['undefined, if there is no example', { type: 'string' }, undefined],
  ['null, if its first example is null', { type: ['string', 'null'], examples: [null], enum: ['a', null] }, null],
  ['null rather than its members', { type: ['object', 'null'], properties: { a: { const: 1 } } }, null],
  ['null rather than an enum value', { type: ['string', 'null'], enum: ['a', null] }, null],
  ['an object with its members', { type: 'object', properties: { a: { const: 1 }, b: { type: 'string' } } }, { a: 1 }],
  ['an array with one entry', { type: 'array', items: { const: 1 } }, [1]],
  ['an empty array, if its items have no example', { type: 'array', items: { type: 'string' } }, []],
])('the example of a schema is %s', (_, schema, expected) => {
  expect(exampleOfSchema(schema)).toEqual(expected)
})
