import { expect, test } from 'vitest'
import { assessMoves } from './moves.ts'

const nothing = { moves: [], oldFences: [], slots: [] }
const slot = { name: 'switchyard_move_1_forth', shard: 'a', isActive: true, heldBytes: 1_000_000 }

// biome-ignore format: a table.
test.each([
  [nothing,                                                              'ok',   /^No workspace/],
  [{ ...nothing, moves: ['a to b (watching)'], slots: [slot] },          'ok',   /a to b \(watching\)/],
  [{ ...nothing, slots: [{ ...slot, isActive: false }] },                'warn', /forth on a \(1 MB\)/],
  [{ ...nothing, slots: [{ ...slot, heldBytes: 3 * 2 ** 30 }] },         'warn', /3,072 MB/],
  [{ ...nothing, oldFences: ['a', 'a'], slots: [slot] },                 'fail', /fenced for more than 10 seconds on a, a/],
])('%o is assessed as %s', (facts, status, detail) => {
  expect(assessMoves(facts)).toMatchObject({ status, detail: expect.stringMatching(detail) })
})
