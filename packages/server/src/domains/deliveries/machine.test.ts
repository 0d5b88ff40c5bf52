import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { step } from '../../kernel/machine.ts'
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

test.each(transitions)('$row on $column, with no tries left: $cell', ({ row, column, cell }) => {
  const attempt = () => step(deliveryMachine, { state: row, trigger: column, facts: { triesLeft: false } }).to
  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt()).toBe(cell)
})

test('a failed attempt waits while there are tries left, and is told when there are none', () => {
  const failed = (triesLeft: boolean) =>
    step(deliveryMachine, { state: 'pending', trigger: 'attempt_failed', facts: { triesLeft } })

  expect(failed(true)).toMatchObject({ to: 'pending', effects: ['wait_longer'] })
  expect(failed(false)).toMatchObject({ to: 'exhausted', effects: ['tell'] })
})

test('a trial that fails is told to nobody', () => {
  const failed = step(deliveryMachine, {
    state: 'held',
    trigger: 'attempt_failed',
    facts: { triesLeft: false },
  })

  expect(failed.effects).toEqual([])
})
