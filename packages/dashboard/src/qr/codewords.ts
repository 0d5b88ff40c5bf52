/** A text as the words of a QR code of error correction level M, in the order in which they are drawn. Pure. */
import { checkWordsOf } from './reed-solomon.ts'

/** By version: check words of a block, and how many data words each block has. */
const blocksOf: readonly (readonly [checks: number, ...data: number[]])[] = [
  [10, 16],
  [16, 28],
  [26, 44],
  [18, 32, 32],
  [24, 43, 43],
  [16, 27, 27, 27, 27],
  [18, 31, 31, 31, 31],
  [22, 38, 38, 39, 39],
  [22, 36, 36, 36, 37, 37],
  [26, 43, 43, 43, 43, 44],
]

const byteMode = 0b0100
const padding = [0xec, 0x11]

export type Words = { readonly version: number; readonly words: readonly number[] }

/** Null: the text is longer than the largest version that we draw. */
export function wordsOf(text: string): Words | null {
  const bytes = [...new TextEncoder().encode(text)]
  const at = blocksOf.findIndex(([, ...data], index) => sum(data) >= bytes.length + headOf(index + 1))
  const [checks, ...lengths] = blocksOf[at] ?? [0]
  if (at < 0) return null
  const data = padded(bytes, at + 1, sum(lengths))
  const blocks: number[][] = []
  let from = 0
  for (const length of lengths) {
    blocks.push(data.slice(from, from + length))
    from += length
  }
  const corrections = blocks.map((block) => checkWordsOf(block, checks))
  return { version: at + 1, words: [...interleaved(blocks), ...interleaved(corrections)] }
}

/** Bytes that the mode and the length take, rounded up. */
function headOf(version: number): number {
  return version < 10 ? 2 : 3
}

function padded(bytes: readonly number[], version: number, length: number): number[] {
  const counted = version < 10 ? 8 : 16
  const bits = [
    bitsOf(byteMode, 4),
    bitsOf(bytes.length, counted),
    ...bytes.map((byte) => bitsOf(byte, 8)),
    '0000',
  ].join('')
  const words = (bits.match(/.{8}/g) ?? []).map((word) => Number.parseInt(word, 2))
  return Array.from({ length }, (_, index) => words[index] ?? padding[(index - words.length) % 2] ?? 0)
}

function bitsOf(value: number, length: number): string {
  return value.toString(2).padStart(length, '0')
}

function interleaved(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((block) => block[at] ?? [])).flat()
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
