import { expect, test } from 'vitest'
import { type Move, nextAction, otherShard, replicationName } from './move.ts'

const move: Move = {
  workspace: '019a9000-0000-7abc-8000-000000000001',
  source: 'a',
  target: 'b',
  active: 'a',
  state: 'copying',
  attempt: 0,
  flips: 0,
  marker: null,
  comparedUntil: null,
  smallTables: [],
  pauseMs: null,
  startedAt: new Date(0),
  changedAt: new Date(0),
}

// biome-ignore format: a table.
test.each([
  // The first cut-over, to b.
  [{ state: 'copying' },                              'b', 'copy'],
  [{ state: 'linking' },                              'b', 'link'],
  [{ state: 'comparing' },                            'b', 'compare'],
  [{ state: 'fencing' },                              'b', 'cut_over'],
  [{ state: 'flipped', active: 'b', flips: 1 },       'b', 'open'],
  [{ state: 'watching', active: 'b', flips: 1 },      'b', 'done'],
  // The move is undone before b has served the workspace.
  [{ state: 'copying' },                              'a', 'undo'],
  [{ state: 'linking' },                              'a', 'undo'],
  [{ state: 'comparing' },                            'a', 'undo'],
  [{ state: 'fencing' },                              'a', 'undo'],
  // The workspace is cut over back to a after b has served it.
  [{ state: 'flipped', active: 'b', flips: 1 },       'a', 'open'],
  [{ state: 'watching', active: 'b', flips: 1 },      'a', 'begin'],
  [{ state: 'comparing', active: 'b', flips: 1 },     'a', 'compare'],
  [{ state: 'fencing', active: 'b', flips: 1 },       'a', 'cut_over'],
  [{ state: 'watching', active: 'a', flips: 2 },      'a', 'done'],
  // Cancelling the cut-over back to a keeps the replication.
  [{ state: 'comparing', active: 'b', flips: 1 },     'b', 'cancel'],
  [{ state: 'fencing', active: 'b', flips: 1 },       'b', 'cancel'],
  // A clean-up is always completed first.
  [{ state: 'cleaning' },                             'a', 'clean_up'],
  [{ state: 'cleaning' },                             'b', 'clean_up'],
] as const)('%o towards %s: %s', (state, goal, action) => {
  expect(nextAction({ ...move, ...state }, goal)).toBe(action)
})

test('the names of both directions differ, and are short enough for PostgreSQL', () => {
  const names = ['a', 'b'].map((shard) => replicationName(move, shard))

  expect(names).toEqual([
    'switchyard_move_019a900000007abc8000000000000001_forth',
    'switchyard_move_019a900000007abc8000000000000001_back',
  ])
  expect(Math.max(...names.map((name) => name.length))).toBeLessThan(64)
})

test('only the two shards of a move can be its goal', () => {
  expect(otherShard(move, 'a')).toBe('b')
  expect(() => otherShard(move, 'c')).toThrow('The move is between a and b, not c.')
})
