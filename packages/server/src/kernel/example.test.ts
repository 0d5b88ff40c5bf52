import { expect, test } from 'vitest'
import { exampleOfSchema } from './example.ts'

// biome-ignore format: a table.
test.each([
  ['its first example', { type: 'string', examples: ['a', 'b'], default: 'c' }, 'a'],
  ['its constant', { const: 'customer' }, 'customer'],
  ['what it is without being given', { type: 'boolean', default: false }, false],
  ['the first of its words', { type: 'string', enum: ['live', 'test'] }, 'live'],
  ['null, if it may be', { type: ['string', 'null'] }, null],
  ['nothing, if nothing is known', { type: 'string' }, undefined],
  ['null, if its example is', { type: ['string', 'null'], examples: [null], enum: ['a', null] }, null],
  ['null rather than by its members', { type: ['object', 'null'], properties: { a: { const: 1 } } }, null],
  ['null rather than by its words', { type: ['string', 'null'], enum: ['a', null] }, null],
  ['its members', { type: 'object', properties: { a: { const: 1 }, b: { type: 'string' } } }, { a: 1 }],
  ['one entry', { type: 'array', items: { const: 1 } }, [1]],
  ['no entry, if nothing is known of it', { type: 'array', items: { type: 'string' } }, []],
])('a schema is shown by %s', (_, schema, shown) => {
  expect(exampleOfSchema(schema)).toEqual(shown)
})
