import { expect, test } from 'vitest'
import { anyIdCheck, dayCheck, emailCheck, idCheck } from './filter-check.ts'

const id = '01M7H0CHEPEV2RZEKTPW4CYV21'

test('an id of the right kind is valid in either mode and case', () => {
  const check = idCheck('customer')
  for (const text of [`customer_test_${id}`, `customer_live_${id}`, `customer_${id}`.toLowerCase()])
    expect(check(text)).toBeNull()
})

test('a name, an incomplete id or an id of another kind is rejected with a hint', () => {
  const check = idCheck('customer')
  for (const text of ['Ada Lovelace', 'customer_test_01M7H', `payment_test_${id}`])
    expect(check(text)).toContain('Enter a customer ID')
})

test('the event filter accepts any id, and the customer filter a full email address', () => {
  expect(anyIdCheck(`payment_test_${id}`)).toBeNull()
  expect(anyIdCheck('Ada')).toContain('Enter an ID')
  expect(emailCheck('ada@example.com')).toBeNull()
  expect(emailCheck('ada@exa')).toContain('full email address')
})

test('a day must be a date that exists', () => {
  expect(dayCheck('2026-02-28')).toBeNull()
  for (const text of ['2026-02-31', '2026-13-01', 'yesterday', '2026-11'])
    expect(dayCheck(text)).toContain('Enter a date')
})
