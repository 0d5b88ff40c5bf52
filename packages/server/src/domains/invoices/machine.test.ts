import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import { type Facts, invoiceMachine, type Status, type Trigger } from './machine.ts'

const triggers: readonly Trigger[] = ['finalize', 'pay', 'settle', 'void', 'mark_uncollectible', 'discard']

const quiet = grid<Status, Trigger>(`
  |               | finalize | pay           | settle | void | mark_uncollectible | discard |
  | draft         | open     | -             | -      | -    | -                  | void    |
  | open          | open     | open          | paid   | void | uncollectible      | -       |
  | paid          | paid     | paid          | -      | -    | -                  | -       |
  | void          | -        | -             | -      | void | -                  | -       |
  | uncollectible | -        | uncollectible | paid   | void | uncollectible      | -       |
`)

test.each(quiet)('$row on $column, all settled and nothing under way: $cell', ({ row, column, cell }) => {
  expect(stepOf(row, column, { remaining: 0n, paymentUnderWay: false })).toBe(cell)
})

const busy = grid<Status, Trigger>(`
  |               | finalize | pay  | settle | void | mark_uncollectible | discard |
  | draft         | open     | -    | -      | -    | -                  | void    |
  | open          | open     | -    | -      | -    | -                  | -       |
  | paid          | paid     | paid | -      | -    | -                  | -       |
  | void          | -        | -    | -      | void | -                  | -       |
  | uncollectible | -        | -    | -      | -    | uncollectible      | -       |
`)

test.each(busy)(
  '$row on $column, with a payment under way and money owed: $cell',
  ({ row, column, cell }) => {
    expect(stepOf(row, column, { remaining: 1n, paymentUnderWay: true })).toBe(cell)
  },
)

function stepOf(state: Status, trigger: Trigger, facts: Facts): string {
  try {
    return step(invoiceMachine, { state, trigger, facts }).to
  } catch {
    return '-'
  }
}

test('the pictures hold every trigger', () => {
  expect([...new Set(quiet.map(({ column }) => column))]).toEqual(triggers)
  expect([...new Set(busy.map(({ column }) => column))]).toEqual(triggers)
})

test('what is final offers nothing, and repeating what holds changes nothing', () => {
  const facts = { remaining: 0n, paymentUnderWay: false }

  expect(allowedActions(invoiceMachine, 'paid', facts)).toEqual([])
  expect(allowedActions(invoiceMachine, 'void', facts)).toEqual([])
  expect(allowedActions(invoiceMachine, 'open', facts)).toEqual(['pay', 'void', 'mark_uncollectible'])
  expect(isChange(step(invoiceMachine, { state: 'void', trigger: 'void', facts }))).toBe(false)
})
