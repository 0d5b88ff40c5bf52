import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawToken, hintOf, isWellFormed } from './token.ts'

const kinds = fc.constantFrom('secret' as const, 'publishable' as const)
const modes = fc.constantFrom('live' as const, 'test' as const)

test('every token that is drawn is well formed, and no two are the same', () => {
  const drawn = new Set<string>()
  fc.assert(
    fc.property(kinds, modes, (kind, mode) => {
      const token = drawToken(kind, mode)
      expect(isWellFormed(token)).toBe(true)
      expect(token.startsWith(`${kind === 'secret' ? 'sk' : 'pk'}_${mode}_`)).toBe(true)
      expect(drawn.has(token)).toBe(false)
      drawn.add(token)
    }),
  )
})

test('a token with any one character changed is not well formed', () => {
  const token = drawToken('secret', 'test')
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'0123456789abcXYZ_'), (place, character) => {
      fc.pre(token[place] !== character)
      expect(isWellFormed(token.slice(0, place) + character + token.slice(place + 1))).toBe(false)
    }),
  )
})

test('junk is not well formed', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      expect(isWellFormed(text)).toBe(false)
    }),
    { numRuns: 10_000 },
  )
})

test('a hint gives away eight random bits at most beside the check', () => {
  const token = drawToken('secret', 'live')
  expect(hintOf(token)).toHaveLength('sk_live_…1234'.length)
})
