import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { idFromUuid, idMaker } from '../../kernel/id.ts'
import { allowedActions, step } from '../../kernel/machine.ts'
import { paymentMethodMachine, type Status, type Trigger } from './machine.ts'

const newUuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)
const [ours, theirs] = [newUuid(), newUuid()].map((uuid) => idFromUuid('customer', 'test', uuid))
const owner = ours ?? null

const sameCustomer = grid<Status, Trigger>(`
  |            | attach   | detach   | update     | week_passed | customer_deleted |
  | authorized | attached | detached | authorized | detached    | -                |
  | attached   | attached | detached | attached   | -           | detached         |
  | detached   | -        | detached | -          | -           | -                |
`)
const anotherCustomer = grid<Status, Trigger>(`
  |            | attach   | detach   | update     | week_passed | customer_deleted |
  | authorized | attached | detached | authorized | detached    | -                |
  | attached   | -        | detached | attached   | -           | detached         |
  | detached   | -        | detached | -          | -           | -                |
`)

const cases = [
  ...sameCustomer.map((one) => ({ ...one, who: 'the same customer', asked: owner })),
  ...anotherCustomer.map((one) => ({ ...one, who: 'another customer', asked: theirs ?? null })),
]

test.each(cases)('$row on $column, $who: $cell', ({ row, column, cell, asked }) => {
  const attempt = () =>
    step(paymentMethodMachine, { state: row, trigger: column, facts: { asked, owner } }).to
  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt()).toBe(cell)
})

test('a method that is detached offers nothing', () => {
  const facts = { asked: null, owner }
  expect(allowedActions(paymentMethodMachine, 'detached', facts)).toEqual([])
  expect(allowedActions(paymentMethodMachine, 'attached', facts)).toEqual(['detach', 'update'])
})
