import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { isChange, step } from '../../kernel/machine.ts'
import { type Facts, type Status, type Trigger, webhookEndpointMachine } from './machine.ts'

const transitions = grid<Status, Trigger>(`
  |          | enable  | disable  | fail     | gone     |
  | enabled  | enabled | disabled | disabled | disabled |
  | disabled | enabled | disabled | disabled | disabled |
`)

test.each(transitions)('$row on $column: $cell, told once', ({ row, column, cell }) => {
  for (const recover of ['held', 'none'] as const) {
    const found = step(webhookEndpointMachine, { state: row, trigger: column, facts: { recover } })
    expect(found.to).toBe(cell)
    expect(isChange(found)).toBe(row !== cell)
  }
})

const effects = grid<Facts['recover'], Trigger>(`
  |      | enable                      | disable      | fail         | gone         |
  | held | close_breaker, release_held | hold_pending | hold_pending | hold_pending |
  | none | close_breaker               | hold_pending | hold_pending | hold_pending |
`)

test.each(effects)('with recover $row, $column means: $cell', ({ row, column, cell }) => {
  const state = column === 'enable' ? 'disabled' : 'enabled'
  const found = step(webhookEndpointMachine, { state, trigger: column, facts: { recover: row } })

  expect(found.effects.join(', ')).toBe(cell)
})
