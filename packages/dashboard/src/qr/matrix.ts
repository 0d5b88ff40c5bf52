/** The squares of a QR code: patterns that a reader finds, then the words in a zigzag, under the calmest mask. Pure. */
import { type Words, wordsOf } from './codewords.ts'

type Grid = (boolean | undefined)[][]
export type Squares = readonly (readonly boolean[])[]

const alignments: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
]

type Mask = (row: number, column: number) => boolean
const masks: readonly Mask[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Null: the text is too long for a code that a phone reads easily. */
export function squaresOf(text: string): Squares | null {
  const words = wordsOf(text)
  if (words === null) return null
  const drawn = masks.map((mask, index) => codeOf(words, mask, index))
  return drawn.reduce((best, next) => (unrestOf(next) < unrestOf(best) ? next : best))
}

function codeOf({ version, words }: Words, mask: Mask, index: number): Squares {
  const size = version * 4 + 17
  const grid: Grid = Array.from({ length: size }, () => [])
  drawFinders(grid, size)
  drawAlignments(grid, alignments[version - 1] ?? [])
  drawTiming(grid, size)
  drawFormat(grid, size, formatBits(index))
  if (version >= 7) drawVersion(grid, size, versionBits(version))
  drawWords(grid, size, words, mask)
  return grid.map((row) => Array.from({ length: size }, (_, column) => row[column] === true))
}

function put(grid: Grid, row: number, column: number, isDark: boolean): void {
  const line = grid[row]
  if (line !== undefined && column >= 0 && column < grid.length) line[column] = isDark
}

/** Three squares in the corners, with a light edge. */
function drawFinders(grid: Grid, size: number): void {
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    for (let row = -1; row <= 7; row += 1)
      for (let column = -1; column <= 7; column += 1)
        put(grid, top + row, left + column, isRing(Math.max(Math.abs(row - 3), Math.abs(column - 3))))
}

function isRing(distance: number): boolean {
  return distance !== 2 && distance !== 4
}

function drawAlignments(grid: Grid, centres: readonly number[]): void {
  const places = centres.flatMap((row) => centres.map((column) => [row, column] as const))
  // Three of them would lie in the corners, where there is something already.
  for (const [row, column] of places.filter(([down, right]) => grid[down]?.[right] === undefined))
    for (let down = -2; down <= 2; down += 1)
      for (let right = -2; right <= 2; right += 1)
        put(grid, row + down, column + right, Math.max(Math.abs(down), Math.abs(right)) !== 1)
}

function drawTiming(grid: Grid, size: number): void {
  for (let at = 8; at < size - 8; at += 1) {
    if (grid[6]?.[at] === undefined) put(grid, 6, at, at % 2 === 0)
    if (grid[at]?.[6] === undefined) put(grid, at, 6, at % 2 === 0)
  }
}

/** Level M and the mask, with ten bits to repair them by. */
export function formatBits(mask: number): number {
  return ((mask << 10) | remainderOf(mask << 10, 0b10100110111, 10)) ^ 0b101010000010010
}

export function versionBits(version: number): number {
  return (version << 12) | remainderOf(version << 12, 0b1111100100101, 12)
}

function remainderOf(value: number, divisor: number, bits: number): number {
  let rest = value
  for (let bit = 31 - Math.clz32(rest); bit >= bits; bit = 31 - Math.clz32(rest))
    rest ^= divisor << (bit - bits)
  return rest
}

function drawFormat(grid: Grid, size: number, bits: number): void {
  const isSet = (bit: number) => ((bits >> bit) & 1) === 1
  const beside = [0, 1, 2, 3, 4, 5, 7, 8]
  for (let bit = 0; bit < 8; bit += 1) {
    put(grid, beside[bit] ?? 0, 8, isSet(bit))
    put(grid, 8, size - 1 - bit, isSet(bit))
  }
  for (let bit = 8; bit < 15; bit += 1) {
    put(grid, 8, beside[14 - bit] ?? 0, isSet(bit))
    put(grid, size - 15 + bit, 8, isSet(bit))
  }
  put(grid, size - 8, 8, true)
}

function drawVersion(grid: Grid, size: number, bits: number): void {
  for (let bit = 0; bit < 18; bit += 1) {
    const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)]
    put(grid, far, near, ((bits >> bit) & 1) === 1)
    put(grid, near, far, ((bits >> bit) & 1) === 1)
  }
}

/** Upwards and downwards in columns of two, from the lower right, wherever nothing is yet. */
function drawWords(grid: Grid, size: number, words: readonly number[], mask: Mask): void {
  let bit = 0
  for (const [row, column] of wayOf(size)) {
    if (grid[row]?.[column] !== undefined) continue
    const isSet = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
    put(grid, row, column, isSet !== mask(row, column))
    bit += 1
  }
}

function wayOf(size: number): [row: number, column: number][] {
  const way: [number, number][] = []
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    // The column of the timing pattern has no words.
    if (right === 6) right = 5
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step
      way.push([row, right], [row, right - 1])
    }
    isUp = !isUp
  }
  return way
}

/** Long runs and blocks of one colour make a code hard to read. */
function unrestOf(squares: Squares): number {
  const columns = squares.map((_, at) => squares.map((row) => row[at] === true))
  return runsOf(squares) + runsOf(columns) + blocksOf(squares)
}

function runsOf(rows: Squares): number {
  return rows
    .flatMap(
      (row) =>
        row
          .map((isDark) => (isDark ? '1' : '0'))
          .join('')
          .match(/0{5,}|1{5,}/g) ?? [],
    )
    .reduce((sum, run) => sum + run.length - 2, 0)
}

function blocksOf(rows: Squares): number {
  let count = 0
  for (const [at, row] of rows.entries())
    for (const [column, isDark] of row.entries())
      if (
        isDark === row[column + 1] &&
        isDark === rows[at + 1]?.[column] &&
        isDark === rows[at + 1]?.[column + 1]
      )
        count += 3
  return count
}
