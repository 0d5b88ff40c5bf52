import { AjvCompiler } from '@fastify/ajv-compiler'
import { expect, test } from 'vitest'
import { cpuMs } from '../../../test/hostile/support/cpu.ts'
import { CustomerBody } from '../../domains/payments/customers/schema.ts'
import { faultsOf, type SchemaError, validatorOptions } from './validation.ts'

const validator = AjvCompiler()({}, validatorOptions({ coerceTypes: false }))

function schemaErrorsOf(schema: object, value: unknown): readonly SchemaError[] {
  const validate = validator({ schema, method: 'POST', url: '/', httpPart: 'body' } as never)
  validate(value)
  return ((validate as unknown as { errors: SchemaError[] | null }).errors ?? []) as readonly SchemaError[]
}

const faults = (value: unknown, schema: object = CustomerBody) => faultsOf(schemaErrorsOf(schema, value))

test('every error in a body is listed once, in the order of the body', () => {
  expect(faults({ name: '', phone: 7, nme: 'Ada', tax_ids: [{ type: 'eu_vat' }] })).toEqual([
    { pointer: '/nme', code: 'unknown_member', detail: 'is not a known member: did you mean `name`?' },
    { pointer: '/name', code: 'too_short', detail: 'must have at least 1 character' },
    { pointer: '/phone', code: 'wrong_type', detail: 'must be a string or null' },
    { pointer: '/tax_ids/0/value', code: 'required', detail: 'is required' },
  ])
})

test('a value that is not in the enum gets a suggestion, or the allowed values', () => {
  const enumSchema = (options: object) => ({
    type: 'string',
    enum: ['customer.created', 'customer.*', '*'],
    ...options,
  })
  const detailOf = (value: string, options: object = {}) => faults(value, enumSchema(options))[0]?.detail

  expect(detailOf('customer.craeted')).toBe('is not valid: did you mean `customer.created`?')
  expect(detailOf('custmer.*', { faultDetail: 'must be a type' })).toBe(
    'is not valid: did you mean `customer.*`?',
  )
  expect(detailOf('parcel.lost')).toBe('must be one of customer.created, customer.*, *')
  expect(detailOf('parcel.lost', { faultDetail: 'must be a type' })).toBe('must be a type')
  expect(detailOf('x')).toBe('must be one of customer.created, customer.*, *')
})

test('the error for a member at the wrong level suggests the correct one', () => {
  const address = { type: 'object', properties: { city: { type: 'string' } } }
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, shipping: { anyOf: [address, { type: 'null' }] } },
    additionalProperties: false,
  }

  expect(faults({ city: 'Paris', colour: 'red' }, schema).map(({ detail }) => detail)).toEqual([
    'is not a known member: did you mean `shipping.city`?',
    'is not a known member',
  ])
})

test('the error for a non-integer amount names the unit, and that for an upper-case currency suggests the code', () => {
  const schema = {
    type: 'object',
    properties: { amount: { type: 'integer' }, currency: { type: 'string', enum: ['eur', 'usd'] } },
  }

  expect(faults({ amount: 12.99, currency: 'EUR' }, schema)).toEqual([
    {
      pointer: '/amount',
      code: 'wrong_type',
      detail: 'must be an integer in minor units: send 1299 for 12.99',
    },
    { pointer: '/currency', code: 'not_in_list', detail: 'is not valid: did you mean `eur`?' },
  ])
})

test('special characters of a member name are escaped in the pointer', () => {
  expect(faults({ 'a/b~c': 1 })).toMatchObject([{ pointer: '/a~1b~0c', code: 'unknown_member' }])
})

test('a pointer truncates a long name, and never within a character', () => {
  const [fault] = faults({ [`${'n'.repeat(99)}\u{1F600}${'n'.repeat(1000)}`]: 1 })

  expect(fault?.pointer.length).toBeLessThanOrEqual(101)
  expect(fault?.pointer.isWellFormed()).toBe(true)
})

test('members inherited from Object.prototype are unknown like any other', () => {
  expect(faults({ constructor: 1, toString: 1, hasOwnProperty: 1 })).toMatchObject([
    { pointer: '/constructor', code: 'unknown_member', detail: 'is not a known member' },
    { pointer: '/toString', code: 'unknown_member' },
    { pointer: '/hasOwnProperty', code: 'unknown_member' },
  ])
})

test('at most 50 errors are listed, and the others cost almost nothing', () => {
  const many = (length: number) => Array.from({ length }, (_, n) => [`${'description'.repeat(5)}${n}`, n])
  const errors = schemaErrorsOf(CustomerBody, Object.fromEntries(many(5_000)))

  expect(errors.length).toBe(5_000)
  expect(faultsOf(errors)).toHaveLength(50)
  expect(cpuMs(() => faultsOf(errors))).toBeLessThan(50)
})

const size = 256 * 1024 - 100
const fill = (part: string) => part.repeat(Math.floor(size / part.length))

test.each([
  ['an e-mail address with a long domain', { email: `a@${fill('a')}` }],
  ['an e-mail address of dots', { email: `a@${fill('a.')}!` }],
  ['an e-mail address of hyphens', { email: `a@${fill('a-')}` }],
  ['an e-mail address without a domain', { email: fill('a.') }],
  ['an e-mail address of many at signs', { email: fill('@a') }],
  ['a phone number', { phone: `+${fill('1')}` }],
  ['a locale', { locale: fill('en-') }],
  ['a country', { address: { country: fill('G') } }],
  ['a tax id type', { tax_ids: [{ type: `eu_${fill('_')}`, value: '1' }] }],
  ['a key of metadata', { metadata: { [fill('k')]: '1' } }],
  ['a description of emoji', { description: fill('\u{1F600}') }],
  ['a name of combining marks', { name: `a${fill('\u0301')}` }],
])('%s of 256 KB is rejected within 100 ms', (_, body) => {
  expect(cpuMs(() => expect(faults(body)).not.toEqual([]))).toBeLessThan(100)
})

const Times = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } }

test.each([
  '2026-11-14T12:00:00Z',
  '2026-11-14T12:00:00.000Z',
  '2026-11-14T12:00:00.123456789Z',
  '2026-11-14t12:00:00z',
  '2026-11-14T12:00:00+01:00',
  '2026-11-14T12:00:00-23:59',
  '2024-02-29T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
])('%s is a time', (at) => {
  expect(faults({ at }, Times)).toEqual([])
})

test.each([
  // Valid according to RFC 3339, but Date cannot represent it.
  '2016-12-31T23:59:60Z',
  '2026-11-14T12:00:00+01',
  '2026-11-14T12:00:00+0100',
  '2026-11-14 12:00:00Z',
  '2026-11-14\t12:00:00Z',
  '2026-11-14\u00a012:00:00Z',
  '2026-11-14T12:00:00',
  '2026-11-14T24:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '+002026-11-14T12:00:00Z',
  '2026-11-14',
  '1794657600',
  '',
])('%j is not a time', (at) => {
  expect(faults({ at }, Times)).toMatchObject([{ pointer: '/at', code: 'bad_format' }])
})
