import { describe, expect, test } from 'vitest'
import { grid } from '../../test/support/grid.ts'
import { Refusal } from './errors.ts'
import { allowedActions, isChange, type Machine, step, toMarkdown } from './machine.ts'

type Status = 'open' | 'closed' | 'locked'
type Trigger = 'open' | 'close' | 'lock' | 'unlock' | 'night_falls'
type Effect = 'ring_bell' | 'turn_off_lights'
type Facts = { key: 'none' | 'own' | 'master' }

const hasKey = ({ key }: Facts) => key !== 'none'
const hasMasterKey = ({ key }: Facts) => key === 'master'

const door: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'closed',
  actions: ['open', 'close', 'lock', 'unlock'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'open',   on: 'open',                            to: 'open',   effects: []                  },
    { from: 'open',   on: 'close',                           to: 'closed', effects: []                  },
    { from: 'open',   on: 'night_falls',                     to: 'open',   effects: ['turn_off_lights'] },
    { from: 'closed', on: 'open',                            to: 'open',   effects: ['ring_bell']       },
    { from: 'closed', on: 'lock',        when: hasKey,       to: 'locked', effects: []                  },
    { from: 'closed', on: 'night_falls',                     to: 'locked', effects: ['turn_off_lights'] },
    { from: 'locked', on: 'unlock',      when: hasMasterKey, to: 'open',   effects: ['ring_bell']       },
    { from: 'locked', on: 'unlock',      when: hasKey,       to: 'closed', effects: []                  },
  ],
}

describe('with a key', () => {
  const facts: Facts = { key: 'own' }
  const withKey = grid<Status, Trigger>(`
    |        | open | close  | lock   | unlock | night_falls |
    | open   | open | closed | -      | -      | open        |
    | closed | open | -      | locked | -      | locked      |
    | locked | -    | -      | -      | closed | -           |
  `)

  test.each(withKey)('$row on $column: $cell', ({ row, column, cell }) => {
    const attempt = () => step(door, { state: row, trigger: column, facts }).to
    if (cell === '-') expect(attempt).toThrow('Not possible')
    else expect(attempt()).toBe(cell)
  })
})

describe('without a key', () => {
  const facts: Facts = { key: 'none' }
  const withoutKey = grid<Status, Trigger>(`
    |        | open | close  | lock | unlock | night_falls |
    | open   | open | closed | -    | -      | open        |
    | closed | open | -      | -    | -      | locked      |
    | locked | -    | -      | -    | -      | -           |
  `)

  test.each(withoutKey)('$row on $column: $cell', ({ row, column, cell }) => {
    const attempt = () => step(door, { state: row, trigger: column, facts }).to
    if (cell === '-') expect(attempt).toThrow('Not possible')
    else expect(attempt()).toBe(cell)
  })
})

test('the first row that fits wins', () => {
  const row = step(door, { state: 'locked', trigger: 'unlock', facts: { key: 'master' } })
  expect(row).toMatchObject({ to: 'open', effects: ['ring_bell'] })
})

test('a refusal says where the object is and what can be done with it', () => {
  const attempt = () => step(door, { state: 'closed', trigger: 'unlock', facts: { key: 'own' } })
  const detail = 'Not possible: unlock while closed.'
  const members = { detail, current_status: 'closed', allowed_actions: ['open', 'lock'] }
  expect(attempt).toThrow(new Refusal('invalid_state', members))
})

test.each<{ state: Status; facts: Facts; actions: Trigger[] }>([
  { state: 'open', facts: { key: 'own' }, actions: ['close'] },
  { state: 'closed', facts: { key: 'own' }, actions: ['open', 'lock'] },
  { state: 'closed', facts: { key: 'none' }, actions: ['open'] },
  { state: 'locked', facts: { key: 'own' }, actions: ['unlock'] },
  { state: 'locked', facts: { key: 'none' }, actions: [] },
])(
  '$state with key $facts.key offers $actions: what fits and changes something',
  ({ state, facts, actions }) => {
    expect(allowedActions(door, state, facts)).toEqual(actions)
  },
)

test.each([
  { what: 'another state', row: { from: 'open', to: 'closed', effects: [] }, change: true },
  {
    what: 'the same state with an effect',
    row: { from: 'open', to: 'open', effects: ['ring_bell'] },
    change: true,
  },
  { what: 'the same state without one', row: { from: 'open', to: 'open', effects: [] }, change: false },
])('$what is a change: $change', ({ row, change }) => {
  expect(isChange(row)).toBe(change)
})

test('a state or trigger that the machine does not have does not compile', () => {
  const facts: Facts = { key: 'own' }
  // @ts-expect-error: there is no such state.
  expect(() => step(door, { state: 'ajar', trigger: 'open', facts })).toThrow('Not possible')
  // @ts-expect-error: there is no such trigger.
  expect(() => step(door, { state: 'open', trigger: 'kick', facts })).toThrow('Not possible')
})

test('the documentation shows the rows in the order in which they are tried', () => {
  expect(toMarkdown(door)).toBe(`Begins as \`closed\`. Actions: \`open\`, \`close\`, \`lock\`, \`unlock\`.

| State | Trigger | Condition | Next | Effects |
| --- | --- | --- | --- | --- |
| \`open\` | \`open\` |  | \`open\` | no change |
| \`open\` | \`close\` |  | \`closed\` |  |
| \`open\` | \`night_falls\` |  | \`open\` | \`turn_off_lights\` |
| \`closed\` | \`open\` |  | \`open\` | \`ring_bell\` |
| \`closed\` | \`lock\` | has key | \`locked\` |  |
| \`closed\` | \`night_falls\` |  | \`locked\` | \`turn_off_lights\` |
| \`locked\` | \`unlock\` | has master key | \`open\` | \`ring_bell\` |
| \`locked\` | \`unlock\` | has key | \`closed\` |  |
`)
})

test('a condition without a name of its own cannot be documented', () => {
  const nameless: typeof door = {
    ...door,
    rows: [{ from: 'open', on: 'close', when: ({ key }) => key === 'own', to: 'closed', effects: [] }],
  }
  expect(() => toMarkdown(nameless)).toThrow('Give the condition a name of its own')
})

test('a grid that lacks a cell is not a grid', () => {
  expect(() => grid('|   | a | b |\n| x | 1 |')).toThrow(
    'The row "x" of the grid has not one cell per column',
  )
  expect(() => grid('| | a |')).toThrow('at least one row')
})
