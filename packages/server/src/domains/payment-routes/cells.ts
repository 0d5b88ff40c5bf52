/**
 * Operands have endless values, but a route can tell only so many apart: between two amounts that it mentions all
 * are alike. A cell is a set of values that no condition tells apart, and is known here by one of its members.
 */
import { operandOf, type Shape, type Value } from './operands.ts'
import type { Leaf } from './payment-route.ts'

/** One value out of every cell; undefined stands for the payments that do not have the operand. */
export type Cells = readonly (Value | undefined)[]

export function cellsOf(field: string, leaves: readonly Leaf[]): Cells {
  const operand = operandOf(field)
  if (operand === null) return [undefined]
  const own = leaves.filter((leaf) => leaf.field === field && leaf.op !== 'exists')
  const values = valuesOf(operand.shape, own)
  return operand.always ? values : [...values, undefined]
}

function valuesOf(shape: Shape, leaves: readonly Leaf[]): readonly Value[] {
  const mentioned = leaves.flatMap(({ value }) => value as Value | readonly Value[])
  switch (shape.is) {
    case 'number':
      return numbersAround(shape, mentioned as readonly number[])
    case 'word':
      return oneOfEach(mentioned as readonly string[], shape.words)
    case 'code':
      return oneOfEach(mentioned as readonly string[], invented(mentioned as readonly string[]))
    case 'digits':
      return textsAround(leaves, [...'0123456789'], { min: 6, max: 8 })
    case 'text':
      return textsAround(leaves, [...'xyzXYZ~_-'], { min: 1, max: 500 })
  }
}

/** Each number that is mentioned, and one from every gap between them. */
function numbersAround({ min, max }: { min: number; max: number }, mentioned: readonly number[]): number[] {
  const around = mentioned.flatMap((value) => [value - 1, value, value + 1])
  const all = [min, max, ...around].filter((value) => value >= min && value <= max)
  return [...new Set(all)].toSorted((a, b) => a - b)
}

/** Each word that is mentioned, and one of the others if there are any. */
function oneOfEach(mentioned: readonly string[], all: readonly string[]): string[] {
  const words = [...new Set(mentioned)]
  const other = all.find((word) => !words.includes(word))
  return other === undefined ? words : [...words, other]
}

function invented(mentioned: readonly string[]): string[] {
  const others = Array.from({ length: mentioned.length + 1 }, (_, at) => `other${at}`)
  return mentioned.some((word) => /^[A-Z]{2}$/.test(word)) ? [...countries, ...others] : others
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** As an example for people, a country looks like one. */
const countries = letters.flatMap((first) => letters.map((second) => first + second)).toReversed()

type Lengths = { readonly min: number; readonly max: number }

/**
 * Texts differ by what they are and by the longest mentioned beginning that they have. So: each that is mentioned,
 * and for each beginning, the empty one too, one that goes on as none of the others does.
 */
function textsAround(leaves: readonly Leaf[], alphabet: readonly string[], lengths: Lengths): string[] {
  const starts = leaves.filter(({ op }) => op === 'starts_with').map(({ value }) => value as string)
  const whole = leaves
    .filter(({ op }) => op !== 'starts_with')
    .flatMap(({ value }) => value as string | string[])
  const mentioned = [...new Set([...starts, ...whole])]
  const isLegal = ({ length }: string) => length >= lengths.min && length <= lengths.max
  const others = ['', ...starts].flatMap((start) => goingOn(start, mentioned, alphabet, lengths))
  return [...new Set([...mentioned.filter(isLegal), ...others])]
}

function goingOn(
  start: string,
  mentioned: readonly string[],
  alphabet: readonly string[],
  { min, max }: Lengths,
): string[] {
  if (start.length >= max) return []
  const next = alphabet.find((letter) => !mentioned.some((text) => text.startsWith(start + letter)))
  return next === undefined ? [] : [(start + next).padEnd(min, next)]
}
