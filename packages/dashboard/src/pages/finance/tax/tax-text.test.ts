import type { TaxPreview, TaxRule } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { conditionsText, groupText, previewText } from './tax-text.ts'

const rule = { country: null, customer_type: null, tax_code: null } as TaxRule

test.each([
  [{}, 'Everything'],
  [{ country: 'DE' }, 'DE'],
  [{ country: 'FR', customer_type: 'consumer', tax_code: 'books' }, 'FR, consumers, tax code books'],
] as const)('the conditions %o are described as %s', (conditions, text) => {
  expect(conditionsText({ ...rule, ...conditions })).toBe(text)
})

const preview = { reason: 'rule', percentage: '19', country: 'DE', customer_type: 'consumer' } as TaxPreview

test('a preview states the rate and the reason', () => {
  expect(previewText(preview, 'Germany 19%')).toBe('Consumer in DE: Germany 19% (19%).')
  expect(previewText({ ...preview, reason: 'reverse_charge', customer_type: 'business' }, null)).toMatch(
    'Business in DE: reverse charge.',
  )
  expect(previewText({ ...preview, reason: 'no_rule', country: null }, null)).toBe(
    'Consumer: no tax, because no rule matches.',
  )
})

test('a group of an invoice states its percentage, or why there is no tax', () => {
  const group = { tax_rate_id: null, percentage: '19', inclusive: false, net: 0, tax: 0, note: null }
  expect(groupText({ ...group, category: 'S' })).toBe('19%')
  expect(groupText({ ...group, category: 'S', inclusive: true })).toBe('19%, included in prices')
  expect(groupText({ ...group, category: 'AE', percentage: '0' })).toBe('Reverse charge')
})
