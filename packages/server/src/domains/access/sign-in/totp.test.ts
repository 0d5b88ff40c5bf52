import { expect, test } from 'vitest'
import { generateTotpSecret, totpStep, totpUri } from './totp.ts'

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
])('at %i seconds the code %s belongs to step %i', (seconds, code, step) => {
  expect(totpStep(secret, code, at(seconds))).toBe(step)
})

test('a code of the previous or the next step is accepted, and returns its own step', () => {
  expect(totpStep(secret, '081804', at(1111111109 + 30))).toBe(37037036)
  expect(totpStep(secret, '081804', at(1111111109 - 30))).toBe(37037036)
})

test.each([60, -60])('a code is rejected if the clock is off by %i seconds', (off) => {
  expect(totpStep(secret, '081804', at(1111111109 + off))).toBeNull()
})

test.each(['', '81804', '0818040', ' 081804', 'abcdef', '０８１８０４'])(
  '"%s" is not a valid code',
  (code) => {
    expect(totpStep(secret, code, at(1111111109))).toBeNull()
  },
)

test('every generated secret is unique and has 160 bits, and its URI contains the email address', () => {
  const [secretA, secretB] = [generateTotpSecret(), generateTotpSecret()]

  expect(secretA).toMatch(/^[A-Z2-7]{32}$/)
  expect(secretA).not.toBe(secretB)
  expect(totpUri(secretA, 'ada@example.com')).toContain(`secret=${secretA}`)
  expect(totpUri(secretA, 'ada@example.com')).toMatch(/^otpauth:\/\/totp\/Switchyard:ada%40example.com\?/)
})
