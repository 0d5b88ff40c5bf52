import { describe, expect, test } from 'vitest'
import { grid } from '../../test/support/grid.ts'
import { Refusal } from './errors.ts'
import { allowedActions, isChange, type Machine, nextTransition, toMarkdown } from './machine.ts'

type Status = 'open' | 'closed' | 'locked'
type Trigger = 'open' | 'close' | 'lock' | 'unlock' | 'night_falls'
type Effect = 'ring_bell' | 'turn_off_lights'
type Facts = { key: 'none' | 'own' | 'master' }

const hasKey = ({ key }: Facts) => key !== 'none'
const hasMasterKey = ({ key }: Facts) => key === 'master'

const door: Machine<Status, Trigger, Facts, Effect> = {
  object: 'door',
  initial: 'closed',
  actions: ['open', 'close', 'lock', 'unlock'],
  // biome-ignore format: aligned columns are easier to read.
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
    const attempt = () => nextTransition(door, { state: row, trigger: column, facts }).to
    if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
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
    const attempt = () => nextTransition(door, { state: row, trigger: column, facts }).to
    if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
    else expect(attempt()).toBe(cell)
  })
})

test('the first matching row wins', () => {
  const row = nextTransition(door, { state: 'locked', trigger: 'unlock', facts: { key: 'master' } })
  expect(row).toMatchObject({ to: 'open', effects: ['ring_bell'] })
})

test('a refusal reports the current status and the allowed actions', () => {
  const attempt = () => nextTransition(door, { state: 'closed', trigger: 'unlock', facts: { key: 'own' } })
  const detail = 'A closed door cannot be unlocked.'
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
  '$state with key $facts.key offers $actions: the actions that match and change something',
  ({ state, facts, actions }) => {
    expect(allowedActions(door, state, facts)).toEqual(actions)
  },
)

test.each([
  { name: 'another state', row: { from: 'open', to: 'closed', effects: [] }, change: true },
  {
    name: 'the same state with an effect',
    row: { from: 'open', to: 'open', effects: ['ring_bell'] },
    change: true,
  },
  { name: 'the same state without effects', row: { from: 'open', to: 'open', effects: [] }, change: false },
])('$name is a change: $change', ({ row, change }) => {
  expect(isChange(row)).toBe(change)
})

test('an unknown state or trigger does not compile', () => {
  const facts: Facts = { key: 'own' }
  // @ts-expect-error: there is no such state.
  expect(() => nextTransition(door, { state: 'ajar', trigger: 'open', facts })).toThrow(/ cannot (be|get) /)
  // @ts-expect-error: there is no such trigger.
  expect(() => nextTransition(door, { state: 'open', trigger: 'kick', facts })).toThrow(/ cannot (be|get) /)
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

test('a condition that is not a named function cannot be documented', () => {
  const unnamed: typeof door = {
    ...door,
    rows: [{ from: 'open', on: 'close', when: ({ key }) => key === 'own', to: 'closed', effects: [] }],
  }
  expect(() => toMarkdown(unnamed)).toThrow('Give the condition a name of its own')
})

test('a grid with a missing cell is rejected', () => {
  expect(() => grid('|   | a | b |\n| x | 1 |')).toThrow(
    'The row "x" of the grid does not have one cell per column',
  )
  expect(() => grid('| | a |')).toThrow('at least one row')
})
