// The vectors were computed in another language, for other implementations that sign or verify.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type SignedMessage, sign, verify } from '../src/signature.ts'

type Vector = SignedMessage & {
  readonly name: string
  readonly secrets: string[]
  readonly signature: string
}
const file = new URL('./signature-vectors.json', import.meta.url)
const { signed, checked } = JSON.parse(readFileSync(file, 'utf8')) as {
  signed: (Vector & { t: number })[]
  checked: (Vector & { now: number; valid: boolean })[]
}

test.each(signed)('sign: $name', ({ secrets, t, signature, ...message }) => {
  expect(sign(message, secrets, t)).toBe(signature)
})

test.each(checked)('verify: $name ($valid)', ({ secrets, now, signature, valid, ...message }) => {
  expect(verify(message, signature, secrets, now)).toBe(valid)
})

test('the vectors contain valid and invalid signatures', () => {
  expect(signed.length).toBeGreaterThan(5)
  expect(new Set(checked.map(({ valid }) => valid)).size).toBe(2)
})
