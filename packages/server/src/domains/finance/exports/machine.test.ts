import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { exportMachine, type Status, type Trigger } from './machine.ts'

const transitions = grid<Status, Trigger>(`
  |           | cancel    | end_reached | written   | uploaded  | too_large |
  | running   | cancelled | completed   | uploading | -         | failed    |
  | uploading | cancelled | -           | -         | completed | -         |
  | completed | -         | -           | -         | -         | -         |
  | failed    | -         | -           | -         | -         | -         |
  | cancelled | cancelled | -           | -         | -         | -         |
`)

test.each(transitions)('$row on $column: $cell', ({ row, column, cell }) => {
  const attempt = () => nextTransition(exportMachine, { state: row, trigger: column, facts: {} }).to
  if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
  else expect(attempt()).toBe(cell)
})
