import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import { providerAccountMachine, type Status, type Trigger, unneeded } from './machine.ts'

// biome-ignore format: a picture.
const idle = grid<Status, Trigger>(`
  |          | disable  | enable | archive  | update   | check    | hold     | release  | rotate_secret |
  | active   | disabled | active | archived | active   | active   | active   | active   | active        |
  | disabled | disabled | active | archived | disabled | disabled | disabled | disabled | disabled      |
  | archived | -        | -      | archived | -        | -        | -        | -        | -             |
`)

test.each(idle)('$row on $column: $cell', ({ row, column, cell }) => {
  const attempt = () => step(providerAccountMachine, { state: row, trigger: column, facts: unneeded })

  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt().to).toBe(cell)
})

const busy = grid<Status, 'disable' | 'archive'>(`
  |          | disable  | archive  |
  | active   | disabled | -        |
  | disabled | disabled | -        |
  | archived | -        | archived |
`)

test.each(busy)(
  'while an operation is open or a route needs it, $row on $column: $cell',
  ({ row, column, cell }) => {
    for (const need of [{ hasOpenOperation: true }, { isRouted: true }]) {
      const facts = { ...unneeded, ...need }
      const attempt = () => step(providerAccountMachine, { state: row, trigger: column, facts }).to

      if (cell === '-') expect(attempt).toThrow('Not possible')
      else expect(attempt()).toBe(cell)
    }
  },
)

test('what already holds is no change, and nothing is offered for one that is archived', () => {
  const facts = unneeded
  const still = [
    ['active', 'enable'],
    ['disabled', 'disable'],
    ['archived', 'archive'],
  ] as const

  for (const [state, trigger] of still)
    expect(isChange(step(providerAccountMachine, { state, trigger, facts }))).toBe(false)
  expect(allowedActions(providerAccountMachine, 'archived', facts)).toEqual([])
  const busy = { ...unneeded, hasOpenOperation: true }
  expect(allowedActions(providerAccountMachine, 'active', busy)).not.toContain('archive')
})
