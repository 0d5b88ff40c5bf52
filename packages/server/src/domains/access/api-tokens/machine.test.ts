import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { apiTokenMachine, type Status, type Trigger } from './machine.ts'

const transitions = grid<Status, Trigger>(`
  |         | roll   | revoke  | end_reached |
  | active  | active | revoked | expired     |
  | revoked | -      | revoked | -           |
  | expired | -      | -       | -           |
`)

test.each(transitions)('$row on $column: $cell', ({ row, column, cell }) => {
  const transition = () => nextTransition(apiTokenMachine, { state: row, trigger: column, facts: {} }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})
