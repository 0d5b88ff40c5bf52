import { expect, test } from 'vitest'
import { nearestPath } from './nearest-path.ts'

const known = [
  '/payments',
  '/payments/:payment_id',
  '/payments/:payment_id/capture',
  '/payment-methods',
  '/payment-links',
  '/me',
]

test.each([
  ['/payment', '/payments'],
  ['/Payments', '/payments'],
  ['/payment_methods', '/payment-methods'],
  ['/v1/payments', '/payments'],
  ['/api/v2/payment-link', '/payment-links'],
  ['/payments/payment_test_1/captur', '/payments/{payment_id}/capture'],
  // Only the fixed parts are compared, so that a long parameter takes no time.
  [`/payment/${'x'.repeat(8_000)}`, '/payments/{payment_id}'],
  ['/charges', null],
  ['/payments/1/2/3/4', null],
  [`/${'x'.repeat(8_000)}`, null],
  ['/', null],
])('the suggestion for %s is %s', (path, suggestion) => {
  expect(nearestPath(path, known)).toBe(suggestion)
})
