import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { disputeMachine, type Status, type Trigger } from './machine.ts'

const sameStage = grid<Status, Trigger>(`
  |                | response_requested | response_received | decided_for_merchant | decided_for_cardholder | inquiry_closed |
  | needs_response | needs_response     | under_review      | won                  | lost                   | closed         |
  | under_review   | needs_response     | under_review      | won                  | lost                   | closed         |
  | won            | -                  | -                 | won                  | -                      | -              |
  | lost           | -                  | -                 | -                    | lost                   | -              |
  | closed         | -                  | -                 | -                    | -                      | closed         |
`)
const nextStage = grid<Status, Trigger>(`
  |                | response_requested | response_received | decided_for_merchant | decided_for_cardholder | inquiry_closed |
  | needs_response | needs_response     | under_review      | won                  | lost                   | closed         |
  | under_review   | needs_response     | under_review      | won                  | lost                   | closed         |
  | won            | needs_response     | under_review      | won                  | lost                   | -              |
  | lost           | -                  | -                 | -                    | lost                   | -              |
  | closed         | -                  | -                 | -                    | -                      | closed         |
`)

const cases = [
  ...sameStage.map((cell) => ({ ...cell, stage: 'the same stage', facts: { isEscalated: false } })),
  ...nextStage.map((cell) => ({ ...cell, stage: 'the next stage', facts: { isEscalated: true } })),
]

test.each(cases)('$row on $column, in $stage: $cell', ({ row, column, cell, facts }) => {
  const transition = () => nextTransition(disputeMachine, { state: row, trigger: column, facts }).to

  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})
