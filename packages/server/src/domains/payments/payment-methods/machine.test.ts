import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { idFromUuid, idMaker } from '../../../kernel/id.ts'
import { allowedActions, nextTransition } from '../../../kernel/machine.ts'
import { paymentMethodMachine, type Status, type Trigger } from './machine.ts'

const newUuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)
const [customer, otherCustomer] = [newUuid(), newUuid()].map((uuid) => idFromUuid('customer', 'test', uuid))
const owner = customer ?? null

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
  ...sameCustomer.map((row) => ({ ...row, customer: 'the same customer', requestedCustomerId: owner })),
  ...anotherCustomer.map((row) => ({
    ...row,
    customer: 'another customer',
    requestedCustomerId: otherCustomer ?? null,
  })),
]

test.each(cases)('$row on $column with $customer: $cell', ({ row, column, cell, requestedCustomerId }) => {
  const transition = () =>
    nextTransition(paymentMethodMachine, {
      state: row,
      trigger: column,
      facts: { requestedCustomerId, owner },
    }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})

test('a detached method has no allowed actions', () => {
  const facts = { requestedCustomerId: null, owner }
  expect(allowedActions(paymentMethodMachine, 'detached', facts)).toEqual([])
  expect(allowedActions(paymentMethodMachine, 'attached', facts)).toEqual(['detach', 'update'])
})
