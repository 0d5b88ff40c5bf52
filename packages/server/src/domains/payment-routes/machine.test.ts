import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { allowedActions, step } from '../../kernel/machine.ts'
import { type Facts, paymentRouteMachine, type Status, type Trigger } from './machine.ts'

const situations: readonly { readonly name: string; readonly facts: Facts; readonly picture: string }[] = [
  {
    name: 'a draft',
    facts: { isDefault: false, wasPublished: false },
    picture: `
      |          | update | publish | archive  | delete   |
      | active   | active | active  | archived | active   |
      | archived | -      | -       | archived | archived |`,
  },
  {
    name: 'one that was published',
    facts: { isDefault: false, wasPublished: true },
    picture: `
      |          | update | publish | archive  | delete |
      | active   | active | active  | archived | -      |
      | archived | -      | -       | archived | -      |`,
  },
  {
    name: 'the default',
    facts: { isDefault: true, wasPublished: true },
    picture: `
      |        | update | publish | archive | delete |
      | active | active | active  | -       | -      |`,
  },
]

const cells = situations.flatMap(({ name, facts, picture }) =>
  grid<Status, Trigger>(picture).map((cell) => ({ name, facts, ...cell })),
)

test.each(cells)('$name: $row on $column: $cell', ({ facts, row, column, cell }) => {
  const attempt = () => step(paymentRouteMachine, { state: row, trigger: column, facts })

  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt().to).toBe(cell)
})

test('nothing is offered for one that is archived and was published', () => {
  const facts = { isDefault: false, wasPublished: true }

  expect(allowedActions(paymentRouteMachine, 'archived', facts)).toEqual([])
})
