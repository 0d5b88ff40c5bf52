import { expect, test } from 'vitest'
import { formatBits, squaresOf, versionBits } from './matrix.ts'
import { checkWordsOf } from './reed-solomon.ts'

const drawn = (text: string) =>
  squaresOf(text)?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))

test('check words, format and version are those of the standard’s examples', () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
  expect(checkWordsOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
  expect(formatBits(0)).toBe(0b101010000010010)
  expect(formatBits(5)).toBe(0b100000011001110)
  expect(versionBits(7)).toBe(0b000111110010010100)
})

test('a code is as large as its text needs, and there is none for what is too long', () => {
  expect(squaresOf('a'.repeat(14))).toHaveLength(21)
  expect(squaresOf('a'.repeat(15))).toHaveLength(25)
  expect(squaresOf('a'.repeat(213))).toHaveLength(57)
  expect(squaresOf('a'.repeat(214))).toBeNull()
})

// An independent reader read this one, and one of each version up to the tenth.
test('a short text is drawn as the code that a reader reads', () => {
  expect(drawn('https://pay.me')).toEqual([
    '#######...#.#.#######',
    '#.....#.##....#.....#',
    '#.###.#....#..#.###.#',
    '#.###.#..#.#..#.###.#',
    '#.###.#.###.#.#.###.#',
    '#.....#..#.#..#.....#',
    '#######.#.#.#.#######',
    '.....................',
    '#.#.#.#...###...#..#.',
    '#..#...###.##.###...#',
    '#.##.##.######..#.###',
    '...#...#........#..#.',
    '..##.#####.#.#.#.#...',
    '........#.####.##..##',
    '#######..#.##.#.#.###',
    '#.....#....##..##..##',
    '#.###.#.#.##.....#.#.',
    '#.###.#....###..##.#.',
    '#.###.#.##..###.#.#.#',
    '#.....#..#......#..#.',
    '#######.#....#..##.##',
  ])
})

test('the words of a large code are in the order in which a reader takes them', () => {
  const rows = drawn(`https://pay.example/${'xY9_-'.repeat(30)}`) ?? []
  const sum = rows
    .join('')
    .split('')
    .reduce((total, square, at) => (total * 31 + (square === '#' ? at : 1)) % 1_000_003, 7)
  expect([rows.length, sum]).toEqual([53, 204_086])
})
