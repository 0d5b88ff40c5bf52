import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { paymentLinkMachine, type Status, type Trigger } from './machine.ts'

const payable = grid<Status, Trigger>(`
  |           | deactivate | activate | last_completion | expiry_reached |
  | active    | inactive   | active   | completed       | expired        |
  | inactive  | inactive   | active   | completed       | -              |
  | completed | -          | active   | -               | -              |
  | expired   | -          | active   | completed       | -              |
`)
const notPayable = grid<Status, Trigger>(`
  |           | deactivate | activate | last_completion | expiry_reached |
  | active    | inactive   | active   | completed       | expired        |
  | inactive  | inactive   | -        | completed       | -              |
  | completed | -          | -        | -               | -              |
  | expired   | -          | -        | completed       | -              |
`)

const cases = [
  ...payable.map((row) => ({
    ...row,
    when: 'it can be paid',
    facts: { hasExpired: false, isAtLimit: false },
  })),
  ...notPayable.map((row) => ({
    ...row,
    when: 'it has expired',
    facts: { hasExpired: true, isAtLimit: false },
  })),
  ...notPayable.map((row) => ({
    ...row,
    when: 'its limit is reached',
    facts: { hasExpired: false, isAtLimit: true },
  })),
]

test.each(cases)('$row on $column, when $when: $cell', ({ row, column, cell, facts }) => {
  const transition = () => nextTransition(paymentLinkMachine, { state: row, trigger: column, facts }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})
