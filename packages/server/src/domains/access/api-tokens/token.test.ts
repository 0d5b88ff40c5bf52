import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateToken, hintOf, isWellFormed } from './token.ts'

const kinds = fc.constantFrom('secret' as const, 'publishable' as const)
const modes = fc.constantFrom('live' as const, 'test' as const)

test('every generated token is well formed and unique', () => {
  const generated = new Set<string>()
  fc.assert(
    fc.property(kinds, modes, (kind, mode) => {
      const token = generateToken(kind, mode)
      expect(isWellFormed(token)).toBe(true)
      expect(token.startsWith(`${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`)).toBe(true)
      expect(generated.has(token)).toBe(false)
      generated.add(token)
    }),
  )
})

test('a token with any one character changed is not well formed', () => {
  const token = generateToken('secret', 'test')
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'0123456789abcXYZ_'), (index, character) => {
      fc.pre(token[index] !== character)
      expect(isWellFormed(token.slice(0, index) + character + token.slice(index + 1))).toBe(false)
    }),
  )
})

test('random text is not well formed', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      expect(isWellFormed(text)).toBe(false)
    }),
    { numRuns: 10_000 },
  )
})

test('a hint consists of the prefix and the last four characters', () => {
  const token = generateToken('secret', 'live')
  expect(hintOf(token)).toHaveLength('sk_live_…1234'.length)
})
