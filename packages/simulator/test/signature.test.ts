// The vectors were made with another language, for whoever else has to sign or verify.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Signed, sign, verify } from '../src/signature.ts'

type Vector = Signed & { readonly name: string; readonly secrets: string[]; readonly signature: string }
const file = new URL('./signature-vectors.json', import.meta.url)
const { signed, checked } = JSON.parse(readFileSync(file, 'utf8')) as {
  signed: (Vector & { t: number })[]
  checked: (Vector & { now: number; valid: boolean })[]
}

test.each(signed)('signed: $name', ({ secrets, t, signature, ...what }) => {
  expect(sign(what, secrets, t)).toBe(signature)
})

test.each(checked)('checked: $name ($valid)', ({ secrets, now, signature, valid, ...what }) => {
  expect(verify(what, signature, secrets, now)).toBe(valid)
})

test('there are signatures to accept and to refuse', () => {
  expect(signed.length).toBeGreaterThan(5)
  expect(new Set(checked.map(({ valid }) => valid)).size).toBe(2)
})
