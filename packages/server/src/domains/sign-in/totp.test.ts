import { expect, test } from 'vitest'
import { drawTotpSecret, stepOf, totpAddress } from './totp.ts'

/** `12345678901234567890`, the secret of the examples in RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const at = (seconds: number) => new Date(seconds * 1000)

// The RFC shows eight digits; an authenticator shows the last six of them.
test.each([
  [59, '287082', 1],
  [1111111109, '081804', 37037036],
  [1111111111, '050471', 37037037],
  [1234567890, '005924', 41152263],
  [2000000000, '279037', 66666666],
])('at %i seconds the code is %s, of step %i', (seconds, code, step) => {
  expect(stepOf(secret, code, at(seconds))).toBe(step)
})

test('a code of the step before or behind is taken, and counts for its own step', () => {
  expect(stepOf(secret, '081804', at(1111111109 + 30))).toBe(37037036)
  expect(stepOf(secret, '081804', at(1111111109 - 30))).toBe(37037036)
})

test.each([60, -60])('a code that is %i seconds off is not taken', (off) => {
  expect(stepOf(secret, '081804', at(1111111109 + off))).toBeNull()
})

test.each(['', '81804', '0818040', ' 081804', 'abcdef', '０８１８０４'])('"%s" is no code', (code) => {
  expect(stepOf(secret, code, at(1111111109))).toBeNull()
})

test('every secret is another one, of 160 bits, and its address says whose it is', () => {
  const [one, other] = [drawTotpSecret(), drawTotpSecret()]

  expect(one).toMatch(/^[A-Z2-7]{32}$/)
  expect(one).not.toBe(other)
  expect(totpAddress(one, 'ada@example.com')).toContain(`secret=${one}`)
  expect(totpAddress(one, 'ada@example.com')).toMatch(/^otpauth:\/\/totp\/Switchyard:ada%40example.com\?/)
})
