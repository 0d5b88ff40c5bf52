import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { allowedActions, step } from '../../kernel/machine.ts'
import { checkoutSessionMachine, type Status, type Trigger } from './machine.ts'

const withTriesLeft = grid<Status, Trigger>(`
  |            | confirm    | paid      | failed  | time_over | expire  |
  | open       | processing | -         | -       | expired   | expired |
  | processing | -          | completed | open    | -         | -       |
  | completed  | -          | -         | -       | -         | -       |
  | expired    | -          | -         | -       | -         | expired |
`)
const withoutTries = grid<Status, Trigger>(`
  |            | confirm    | paid      | failed  | time_over | expire  |
  | open       | processing | -         | -       | expired   | expired |
  | processing | -          | completed | expired | -         | -       |
  | completed  | -          | -         | -       | -         | -       |
  | expired    | -          | -         | -       | -         | expired |
`)

const cases = [
  ...withTriesLeft.map((one) => ({
    ...one,
    when: 'tries are left',
    facts: { hasTriesLeft: true, isOver: false },
  })),
  ...withoutTries.map((one) => ({ ...one, when: 'none are', facts: { hasTriesLeft: false, isOver: false } })),
  ...withoutTries.map((one) => ({
    ...one,
    when: 'time is over',
    facts: { hasTriesLeft: true, isOver: true },
  })),
]

test.each(cases)('$row on $column, when $when: $cell', ({ row, column, cell, facts }) => {
  const attempt = () => step(checkoutSessionMachine, { state: row, trigger: column, facts }).to
  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt()).toBe(cell)
})

test('what is over offers nothing', () => {
  const facts = { hasTriesLeft: true, isOver: false }
  expect(allowedActions(checkoutSessionMachine, 'open', facts)).toEqual(['confirm', 'expire'])
  expect(allowedActions(checkoutSessionMachine, 'expired', facts)).toEqual([])
})
