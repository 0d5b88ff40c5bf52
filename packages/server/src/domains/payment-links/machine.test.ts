import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { step } from '../../kernel/machine.ts'
import { paymentLinkMachine, type Status, type Trigger } from './machine.ts'

const payable = grid<Status, Trigger>(`
  |           | deactivate | activate | last_completion | time_over |
  | active    | inactive   | active   | completed       | expired   |
  | inactive  | inactive   | active   | completed       | -         |
  | completed | -          | active   | -               | -         |
  | expired   | -          | active   | completed       | -         |
`)
const notPayable = grid<Status, Trigger>(`
  |           | deactivate | activate | last_completion | time_over |
  | active    | inactive   | active   | completed       | expired   |
  | inactive  | inactive   | -        | completed       | -         |
  | completed | -          | -        | -               | -         |
  | expired   | -          | -        | completed       | -         |
`)

const cases = [
  ...payable.map((one) => ({ ...one, when: 'it can be paid', facts: { isOver: false, isFull: false } })),
  ...notPayable.map((one) => ({ ...one, when: 'it is over', facts: { isOver: true, isFull: false } })),
  ...notPayable.map((one) => ({ ...one, when: 'it is full', facts: { isOver: false, isFull: true } })),
]

test.each(cases)('$row on $column, when $when: $cell', ({ row, column, cell, facts }) => {
  const attempt = () => step(paymentLinkMachine, { state: row, trigger: column, facts }).to
  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt()).toBe(cell)
})
