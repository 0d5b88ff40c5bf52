import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import { type Facts, invoiceMachine, type Status, type Trigger } from './machine.ts'

const triggers: readonly Trigger[] = [
  'finalize',
  'pay',
  'settle',
  'reverse',
  'void',
  'mark_uncollectible',
  'discard',
]

const withoutPayment = grid<Status, Trigger>(`
  |               | finalize | pay           | settle | reverse | void | mark_uncollectible | discard |
  | draft         | open     | -             | -      | -       | -    | -                  | void    |
  | open          | open     | open          | paid   | -       | void | uncollectible      | -       |
  | paid          | paid     | paid          | -      | open    | -    | -                  | -       |
  | void          | -        | -             | -      | -       | void | -                  | -       |
  | uncollectible | -        | uncollectible | paid   | -       | void | uncollectible      | -       |
`)

test.each(withoutPayment)(
  '$row on $column, with nothing owed and no payment in progress: $cell',
  ({ row, column, cell }) => {
    expect(nextStateOf(row, column, { remaining: 0n, paymentInProgress: false })).toBe(cell)
  },
)

const withPayment = grid<Status, Trigger>(`
  |               | finalize | pay  | settle | reverse | void | mark_uncollectible | discard |
  | draft         | open     | -    | -      | -       | -    | -                  | void    |
  | open          | open     | -    | -      | -       | -    | -                  | -       |
  | paid          | paid     | paid | -      | open    | -    | -                  | -       |
  | void          | -        | -    | -      | -       | void | -                  | -       |
  | uncollectible | -        | -    | -      | -       | -    | uncollectible      | -       |
`)

test.each(withPayment)(
  '$row on $column, with a payment in progress and an amount owed: $cell',
  ({ row, column, cell }) => {
    expect(nextStateOf(row, column, { remaining: 1n, paymentInProgress: true })).toBe(cell)
  },
)

function nextStateOf(state: Status, trigger: Trigger, facts: Facts): string {
  try {
    return nextTransition(invoiceMachine, { state, trigger, facts }).to
  } catch {
    return '-'
  }
}

test('the grids contain every trigger', () => {
  expect([...new Set(withoutPayment.map(({ column }) => column))]).toEqual(triggers)
  expect([...new Set(withPayment.map(({ column }) => column))]).toEqual(triggers)
})

test('final states offer no actions, and repeating an action changes nothing', () => {
  const facts = { remaining: 0n, paymentInProgress: false }

  expect(allowedActions(invoiceMachine, 'paid', facts)).toEqual([])
  expect(allowedActions(invoiceMachine, 'void', facts)).toEqual([])
  expect(allowedActions(invoiceMachine, 'open', facts)).toEqual(['pay', 'void', 'mark_uncollectible'])
  expect(isChange(nextTransition(invoiceMachine, { state: 'void', trigger: 'void', facts }))).toBe(false)
})
