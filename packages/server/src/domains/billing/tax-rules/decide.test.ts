// Tests the choice of the tax rate of a line, with properties and a table of customers.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaxedCustomer } from '../../../kernel/parties.ts'
import { isReverseCharge, type RuleWithRate, type TaxSetup, taxOfCustomer } from './decide.ts'

const vat = (value: string) => ({ type: 'eu_vat', value })
const german = vat('DE136695976')
const french = vat('FR40303265045')
const malformed = vat('FR40303265046')
const british = { type: 'gb_vat', value: 'GB980780684' }

const ruleOf = (conditions: Partial<RuleWithRate>, percentage: string): RuleWithRate => ({
  id: `rule ${percentage}`,
  country: null,
  customerType: null,
  taxCode: null,
  rate: {
    id: `rate ${percentage}`,
    percentage,
    category: percentage === '0' ? 'O' : 'S',
    exemptionReason: null,
  },
  ...conditions,
})
const setup: TaxSetup = {
  seller: { country: 'DE', tax_ids: [german], vat_scheme: 'standard' },
  rules: [
    ruleOf({ country: 'DE', taxCode: 'books' }, '7'),
    ruleOf({ country: 'DE' }, '19'),
    ruleOf({ country: 'FR', customerType: 'consumer' }, '20'),
    ruleOf({}, '0'),
  ],
}
const consumer: TaxedCustomer = { country: 'DE', taxIds: [], isExempt: false }
const price = { isInclusive: false, taxCode: null }

// biome-ignore format: a table.
test.each<[string, Partial<TaxedCustomer>, string | null, string | null]>([
  ['a consumer in the country of the seller',         {},                                         '19', 'S'],
  ['a business in the country of the seller',         { taxIds: [german] },                       '19', 'S'],
  ['a consumer in another country',                   { country: 'FR' },                          '20', 'S'],
  ['a business in another EU country',                { country: 'FR', taxIds: [french] },        '0',  'AE'],
  ['a business with a malformed id',                  { country: 'FR', taxIds: [malformed] },     '0',  'O'],
  ['a business outside the EU',                    { country: 'GB', taxIds: [british] },       '0',  'O'],
  ['a business in Northern Ireland',                  { country: 'GB', taxIds: [vat('XI980780684')] }, '0', 'O'],
  ['a customer without address and id',               { country: null },                          '19', 'S'],
  ['an exempt customer',                              { isExempt: true },                         '0',  'E'],
])('%s', (_, customer, percentage, category) => {
  const rate = taxOfCustomer(setup, { ...consumer, ...customer })(price)

  expect(rate).toMatchObject({ percentage, category })
})

test('the first rule that matches applies, and without one there is no tax', () => {
  const books = { isInclusive: false, taxCode: 'books' }
  expect(taxOfCustomer(setup, consumer)(books)?.percentage).toBe('7')
  const reversed = { ...setup, rules: setup.rules.toReversed() }
  expect(taxOfCustomer(reversed, consumer)(books)?.percentage).toBe('0')
  expect(taxOfCustomer({ ...setup, rules: [] }, consumer)(books)).toBeNull()
})

test('a small business charges no tax', () => {
  const seller = { ...setup.seller, vat_scheme: 'small_business' as const }
  expect(taxOfCustomer({ ...setup, seller }, consumer)(price)).toBeNull()
})

test('the price determines whether the tax is included', () => {
  expect(taxOfCustomer(setup, consumer)({ isInclusive: true, taxCode: null })?.inclusive).toBe(true)
  expect(taxOfCustomer(setup, consumer)(price)?.inclusive).toBe(false)
})

const anId = fc.constantFrom(german, french, malformed, british, vat('ATU13585627'))

test('reverse charge is symmetric, needs the VAT ids of both parties, and never applies within one country', () => {
  fc.assert(
    fc.property(fc.array(anId), fc.array(anId), (sellerIds, customerIds) => {
      expect(isReverseCharge(sellerIds, customerIds)).toBe(isReverseCharge(customerIds, sellerIds))
      expect(isReverseCharge(sellerIds, sellerIds)).toBe(false)
      expect(isReverseCharge(sellerIds, [])).toBe(false)
    }),
  )
})

test('a rule after the one that applies changes nothing', () => {
  const conditions = fc.record({
    country: fc.constantFrom(null, 'DE', 'FR'),
    customerType: fc.constantFrom(null, 'business' as const, 'consumer' as const),
    taxCode: fc.constantFrom(null, 'books'),
  })
  fc.assert(
    fc.property(fc.array(conditions), conditions, (list, last) => {
      const rules = list.map((one, index) => ruleOf(one, String(index + 1)))
      const before = taxOfCustomer({ ...setup, rules }, consumer)(price)
      const after = taxOfCustomer({ ...setup, rules: [...rules, ruleOf(last, '99')] }, consumer)(price)
      expect(after?.percentage === before?.percentage || before === null).toBe(true)
    }),
  )
})
