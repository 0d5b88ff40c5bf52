import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { allowedActions, nextTransition } from '../../../kernel/machine.ts'
import { type Facts, paymentRouteMachine, type Status, type Trigger } from './machine.ts'

const situations: readonly { readonly name: string; readonly facts: Facts; readonly table: string }[] = [
  {
    name: 'a draft',
    facts: { isDefault: false, wasPublished: false },
    table: `
      |          | update | publish | archive  | delete   |
      | active   | active | active  | archived | active   |
      | archived | -      | -       | archived | archived |`,
  },
  {
    name: 'a published route',
    facts: { isDefault: false, wasPublished: true },
    table: `
      |          | update | publish | archive  | delete |
      | active   | active | active  | archived | -      |
      | archived | -      | -       | archived | -      |`,
  },
  {
    name: 'the default route',
    facts: { isDefault: true, wasPublished: true },
    table: `
      |        | update | publish | archive | delete |
      | active | active | active  | -       | -      |`,
  },
]

const cells = situations.flatMap(({ name, facts, table }) =>
  grid<Status, Trigger>(table).map((cell) => ({ name, facts, ...cell })),
)

test.each(cells)('$name: $row on $column: $cell', ({ facts, row, column, cell }) => {
  const attempt = () => nextTransition(paymentRouteMachine, { state: row, trigger: column, facts })

  if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
  else expect(attempt().to).toBe(cell)
})

test('an archived route that was published has no allowed actions', () => {
  const facts = { isDefault: false, wasPublished: true }

  expect(allowedActions(paymentRouteMachine, 'archived', facts)).toEqual([])
})
