import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import { factsNotInUse, providerAccountMachine, type Status, type Trigger } from './machine.ts'

// biome-ignore format: a table.
const notInUseCells = grid<Status, Trigger>(`
  |          | disable  | enable | archive  | update   | check    | hold     | release  | rotate_secret |
  | active   | disabled | active | archived | active   | active   | active   | active   | active        |
  | disabled | disabled | active | archived | disabled | disabled | disabled | disabled | disabled      |
  | archived | -        | -      | archived | -        | -        | -        | -        | -             |
`)

test.each(notInUseCells)('$row on $column: $cell', ({ row, column, cell }) => {
  const attempt = () =>
    nextTransition(providerAccountMachine, { state: row, trigger: column, facts: factsNotInUse })

  if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
  else expect(attempt().to).toBe(cell)
})

const inUseCells = grid<Status, 'disable' | 'archive'>(`
  |          | disable  | archive  |
  | active   | disabled | -        |
  | disabled | disabled | -        |
  | archived | -        | archived |
`)

test.each(inUseCells)(
  'while an operation is open or a route uses the account, $row on $column: $cell',
  ({ row, column, cell }) => {
    for (const usage of [{ hasOpenOperation: true }, { isUsedByRoute: true }]) {
      const facts = { ...factsNotInUse, ...usage }
      const attempt = () => nextTransition(providerAccountMachine, { state: row, trigger: column, facts }).to

      if (cell === '-') expect(attempt).toThrow(/ cannot (be|get) /)
      else expect(attempt()).toBe(cell)
    }
  },
)

test('repeating an action changes nothing, and an archived account has no allowed actions', () => {
  const facts = factsNotInUse
  const unchanged = [
    ['active', 'enable'],
    ['disabled', 'disable'],
    ['archived', 'archive'],
  ] as const

  for (const [state, trigger] of unchanged)
    expect(isChange(nextTransition(providerAccountMachine, { state, trigger, facts }))).toBe(false)
  expect(allowedActions(providerAccountMachine, 'archived', facts)).toEqual([])
  const inUse = { ...factsNotInUse, hasOpenOperation: true }
  expect(allowedActions(providerAccountMachine, 'active', inUse)).not.toContain('archive')
})
