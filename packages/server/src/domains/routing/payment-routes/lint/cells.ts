/**
 * An operand can have many values, but a route distinguishes only some of them: all amounts between two amounts
 * that its conditions mention are equivalent. A cell is a set of values that no condition distinguishes,
 * represented by one of them.
 */
import { operandOf, type Shape } from '../engine/operands.ts'
import type { Leaf, Value } from '../payment-route.ts'

/** One value of every cell; undefined represents payments without the operand. */
export type Cells = readonly (Value | undefined)[]

/** `leaves`: every condition on that field. */
export function cellsOf(field: string, leaves: readonly Leaf[]): Cells {
  const operand = operandOf(field)
  if (operand === null) return [undefined]
  const values = valuesOf(
    operand.shape,
    leaves.filter(({ op }) => op !== 'exists'),
  )
  return operand.isAlwaysPresent ? values : [...values, undefined]
}

function valuesOf(shape: Shape, leaves: readonly Leaf[]): readonly Value[] {
  const mentioned = leaves.flatMap(({ value }) => value as Value | readonly Value[])
  switch (shape.kind) {
    case 'number':
      return numbersAround(shape, mentioned as readonly number[])
    case 'enum':
      return mentionedAndOther(mentioned as readonly string[], shape.values)
    case 'code':
      return mentionedAndOther(mentioned as readonly string[], otherCodes(mentioned as readonly string[]))
    case 'digits':
      return textsAround(leaves, [...'0123456789'], { min: 6, max: 8 })
    case 'text':
      return textsAround(leaves, [...'xyzXYZ~_-'], { min: 1, max: 500 })
  }
}

/** Each mentioned number, and one number from every gap between them. */
function numbersAround({ min, max }: { min: number; max: number }, mentioned: readonly number[]): number[] {
  const around = mentioned.flatMap((value) => [value - 1, value, value + 1])
  const all = [min, max, ...around].filter((value) => value >= min && value <= max)
  return [...new Set(all)].toSorted((a, b) => a - b)
}

/** Each mentioned value, and one other value if there is any. */
function mentionedAndOther(mentioned: readonly string[], all: readonly string[]): string[] {
  const values = new Set(mentioned)
  const other = all.find((value) => !values.has(value))
  return other === undefined ? [...values] : [...values, other]
}

function otherCodes(mentioned: readonly string[]): string[] {
  const others = Array.from({ length: mentioned.length + 1 }, (_, index) => `other${index}`)
  return mentioned.some((code) => /^[A-Z]{2}$/.test(code)) ? [...countries, ...others] : others
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Country codes, so that the examples in findings look realistic. */
const countries = letters.flatMap((first) => letters.map((second) => first + second)).toReversed()

type Lengths = { readonly min: number; readonly max: number }

/**
 * Strings are distinguished by their value and by the longest mentioned prefix they have. So: each mentioned
 * string, and for each prefix, including the empty one, a string that continues it differently from all others.
 */
function textsAround(leaves: readonly Leaf[], alphabet: readonly string[], lengths: Lengths): string[] {
  const prefixes = leaves.filter(({ op }) => op === 'starts_with').map(({ value }) => value as string)
  const fullTexts = leaves
    .filter(({ op }) => op !== 'starts_with')
    .flatMap(({ value }) => value as string | string[])
  const mentioned = [...new Set([...prefixes, ...fullTexts])]
  const hasValidLength = ({ length }: string) => length >= lengths.min && length <= lengths.max
  const usedLetters = nextLetters(new Set(['', ...prefixes]), mentioned)
  const continuations = [...usedLetters].flatMap(([prefix, letters]) =>
    continuationsOf(prefix, letters, alphabet, lengths),
  )
  return [...new Set([...mentioned.filter(hasValidLength), ...continuations])]
}

/**
 * For each prefix: the letters with which the mentioned strings continue it. Looks up only substrings with the
 * length of a prefix, because comparing all pairs would be slow.
 */
function nextLetters(
  prefixes: ReadonlySet<string>,
  mentioned: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const lettersByPrefix = new Map([...prefixes].map((prefix) => [prefix, new Set<string>()]))
  const lengths = [...new Set([...prefixes].map(({ length }) => length))].toSorted((a, b) => a - b)
  for (const text of mentioned) {
    for (const length of lengths) {
      if (length >= text.length) break
      lettersByPrefix.get(text.slice(0, length))?.add(text[length] as string)
    }
  }
  return lettersByPrefix
}

function continuationsOf(
  prefix: string,
  usedLetters: ReadonlySet<string>,
  alphabet: readonly string[],
  { min, max }: Lengths,
): string[] {
  if (prefix.length >= max) return []
  const next = alphabet.find((letter) => !usedLetters.has(letter))
  return next === undefined ? [] : [(prefix + next).padEnd(min, next)]
}
