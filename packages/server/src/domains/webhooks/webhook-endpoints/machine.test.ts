import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'
import { type Facts, type Status, type Trigger, webhookEndpointMachine } from './machine.ts'

const transitions = grid<Status, Trigger>(`
  |          | enable  | disable  | fail     | gone     |
  | enabled  | enabled | disabled | disabled | disabled |
  | disabled | enabled | disabled | disabled | disabled |
`)

test.each(transitions)(
  '$row on $column: $cell, and a change is reported only if the state differs',
  ({ row, column, cell }) => {
    for (const recover of ['held', 'none'] as const) {
      const transition = nextTransition(webhookEndpointMachine, {
        state: row,
        trigger: column,
        facts: { recover },
      })
      expect(transition.to).toBe(cell)
      expect(isChange(transition)).toBe(row !== cell)
    }
  },
)

const effects = grid<Facts['recover'], Trigger>(`
  |      | enable                      | disable      | fail         | gone         |
  | held | close_breaker, release_held | hold_pending | hold_pending | hold_pending |
  | none | close_breaker               | hold_pending | hold_pending | hold_pending |
`)

test.each(effects)('with recover: $row, $column has the effects $cell', ({ row, column, cell }) => {
  const state = column === 'enable' ? 'disabled' : 'enabled'
  const transition = nextTransition(webhookEndpointMachine, {
    state,
    trigger: column,
    facts: { recover: row },
  })

  expect(transition.effects.join(', ')).toBe(cell)
})
