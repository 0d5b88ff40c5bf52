import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import type { DeliveryState } from './delivery.ts'
import { deliveryMachine, type Trigger } from './machine.ts'

const transitions = grid<DeliveryState, Trigger>(`
  |           | attempt_succeeded | attempt_failed | endpoint_disabled | endpoint_enabled | endpoint_deleted | recover | resend  |
  | pending   | delivered         | exhausted      | held              | -                | deleted          | -       | pending |
  | held      | delivered         | exhausted      | -                 | pending          | deleted          | pending | pending |
  | exhausted | -                 | -              | -                 | -                | -                | pending | pending |
  | delivered | -                 | -              | -                 | -                | -                | pending | pending |
  | deleted   | -                 | -              | -                 | -                | -                | -       | -       |
`)

test.each(transitions)('$row on $column, with no attempts left: $cell', ({ row, column, cell }) => {
  const transition = () =>
    nextTransition(deliveryMachine, { state: row, trigger: column, facts: { triesLeft: false } }).to
  if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
  else expect(transition()).toBe(cell)
})

test('a failed attempt is retried while attempts are left, and the last one emits an event', () => {
  const failed = (triesLeft: boolean) =>
    nextTransition(deliveryMachine, { state: 'pending', trigger: 'attempt_failed', facts: { triesLeft } })

  expect(failed(true)).toMatchObject({ to: 'pending', effects: ['schedule_retry'] })
  expect(failed(false)).toMatchObject({ to: 'exhausted', effects: ['emit_event'] })
})

test('a failed test event emits no event', () => {
  const failed = nextTransition(deliveryMachine, {
    state: 'held',
    trigger: 'attempt_failed',
    facts: { triesLeft: false },
  })

  expect(failed.effects).toEqual([])
})
