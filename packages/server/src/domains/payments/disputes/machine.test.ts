import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { disputeMachine, type Status, type Trigger } from './machine.ts'

const chargeback = grid<Status, Trigger>(`
  |                | update         | submit       | accept    | provider_accepted | provider_refused | response_requested | response_received | decided_for_merchant | decided_for_cardholder | inquiry_closed |
  | needs_response | needs_response | submitting   | accepting | -                 | -                | needs_response     | under_review      | won                  | lost                   | closed         |
  | submitting     | -              | submitting   | -         | under_review      | needs_response   | submitting         | under_review      | won                  | lost                   | closed         |
  | accepting      | -              | -            | accepting | lost              | needs_response   | accepting          | under_review      | won                  | lost                   | closed         |
  | under_review   | -              | under_review | -         | -                 | -                | needs_response     | under_review      | won                  | lost                   | closed         |
  | won            | -              | -            | -         | -                 | -                | -                  | -                 | won                  | -                      | -              |
  | lost           | -              | -            | -         | -                 | -                | -                  | -                 | -                    | lost                   | -              |
  | closed         | -              | -            | -         | -                 | -                | -                  | -                 | -                    | -                      | closed         |
`)
const nextStage = grid<Status, Trigger>(`
  |                | response_requested | response_received | decided_for_merchant | decided_for_cardholder | inquiry_closed |
  | needs_response | needs_response     | under_review      | won                  | lost                   | closed         |
  | submitting     | needs_response     | under_review      | won                  | lost                   | closed         |
  | accepting      | needs_response     | under_review      | won                  | lost                   | closed         |
  | under_review   | needs_response     | under_review      | won                  | lost                   | closed         |
  | won            | needs_response     | under_review      | won                  | lost                   | -              |
  | lost           | -                  | -                 | -                    | lost                   | -              |
  | closed         | -                  | -                 | -                    | -                      | closed         |
`)
const inquiry = grid<Status, Trigger>(`
  |                | update         | submit       | accept |
  | needs_response | needs_response | submitting   | -      |
  | submitting     | -              | submitting   | -      |
  | under_review   | -              | under_review | -      |
  | won            | -              | -            | -      |
  | lost           | -              | -            | -      |
  | closed         | -              | -            | -      |
`)

const cases = [
  ...chargeback.map((cell) => ({
    ...cell,
    situation: 'a chargeback',
    facts: { isEscalated: false, isInquiry: false },
  })),
  ...nextStage.map((cell) => ({
    ...cell,
    situation: 'the next stage',
    facts: { isEscalated: true, isInquiry: false },
  })),
  ...inquiry.map((cell) => ({
    ...cell,
    situation: 'an inquiry',
    facts: { isEscalated: false, isInquiry: true },
  })),
]

test.each(cases)('$row on $column, in $situation: $cell', ({ row, column, cell, facts }) => {
  const transition = () => nextTransition(disputeMachine, { state: row, trigger: column, facts }).to

  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})
