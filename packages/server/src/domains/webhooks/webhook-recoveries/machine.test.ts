import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { type Status, type Trigger, webhookRecoveryMachine } from './machine.ts'

const transitions = grid<Status, Trigger>(`
  |           | cancel    | end_reached | endpoint_closed |
  | running   | cancelled | completed   | cancelled       |
  | completed | -         | -           | -               |
  | cancelled | cancelled | -           | -               |
`)

test.each(transitions)('$row on $column: $cell', ({ row, column, cell }) => {
  const transition = () =>
    nextTransition(webhookRecoveryMachine, { state: row, trigger: column, facts: {} }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})
