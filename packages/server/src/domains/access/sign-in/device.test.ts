import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readDevice, writeDevice } from './device.ts'

const key = randomBytes(32)
const email = 'ada@example.com'

test('a device cookie is valid only for its email address and password', () => {
  const text = writeDevice([key], email, 'hash')

  const device = readDevice([key], text, 'Ada@Example.com')

  expect(device?.matchesPassword('hash')).toBe(true)
  expect(device?.matchesPassword('another hash')).toBe(false)
  expect(device?.matchesPassword(null)).toBe(false)
  expect(readDevice([key], text, 'grace@example.com')).toBeNull()
  expect(readDevice([randomBytes(32)], text, email)).toBeNull()
  expect(readDevice([randomBytes(32), key], text, email)?.matchesPassword('hash')).toBe(true)
})

test('a cookie with one changed character is rejected', () => {
  const text = writeDevice([key], email, 'hash')
  for (let index = 0; index < text.length; index += 1) {
    const changed = text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)
    expect(readDevice([key], changed, email)?.matchesPassword('hash') ?? false).toBe(false)
  }
})

test.each([null, '', 'A'.repeat(64), 'A'.repeat(63), '!'.repeat(64)])('%j is not a device cookie', (text) => {
  expect(readDevice([key], text, email)).toBeNull()
})
