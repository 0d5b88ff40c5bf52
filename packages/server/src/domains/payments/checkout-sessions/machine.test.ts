import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { allowedActions, nextTransition } from '../../../kernel/machine.ts'
import { checkoutSessionMachine, type Status, type Trigger } from './machine.ts'

const withTriesLeft = grid<Status, Trigger>(`
  |            | confirm    | paid      | submitted | failed  | expiry_reached | expire  |
  | open       | processing | -         | -         | -       | expired        | expired |
  | processing | -          | completed | completed | open    | -              | -       |
  | completed  | -          | -         | -         | -       | -              | -       |
  | expired    | -          | -         | -         | -       | -              | expired |
`)
const withoutTries = grid<Status, Trigger>(`
  |            | confirm    | paid      | submitted | failed  | expiry_reached | expire  |
  | open       | processing | -         | -         | -       | expired        | expired |
  | processing | -          | completed | completed | expired | -              | -       |
  | completed  | -          | -         | -         | -       | -              | -       |
  | expired    | -          | -         | -         | -       | -              | expired |
`)

const cases = [
  ...withTriesLeft.map((row) => ({
    ...row,
    when: 'tries are left',
    facts: { hasTriesLeft: true, hasExpired: false },
  })),
  ...withoutTries.map((row) => ({
    ...row,
    when: 'no tries are left',
    facts: { hasTriesLeft: false, hasExpired: false },
  })),
  ...withoutTries.map((row) => ({
    ...row,
    when: 'the session has expired',
    facts: { hasTriesLeft: true, hasExpired: true },
  })),
]

test.each(cases)('$row on $column, when $when: $cell', ({ row, column, cell, facts }) => {
  const transition = () => nextTransition(checkoutSessionMachine, { state: row, trigger: column, facts }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})

test('final states offer no actions', () => {
  const facts = { hasTriesLeft: true, hasExpired: false }
  expect(allowedActions(checkoutSessionMachine, 'open', facts)).toEqual(['confirm', 'expire'])
  expect(allowedActions(checkoutSessionMachine, 'expired', facts)).toEqual([])
})
