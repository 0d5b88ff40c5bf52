import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { step } from '../../kernel/machine.ts'
import { type PaymentTrigger, paymentMachine } from './machine.ts'
import type { PaymentStatus } from './payment.ts'

const ordinary = { isVerification: false, allTaken: true, tookSome: false, cancelAsked: false }

const whole = grid<PaymentStatus, PaymentTrigger>(`
  |                  | authorized       | captured         | action_required | payer_returned | attempt_failed |
  | processing       | requires_capture | succeeded        | requires_action | -              | failed         |
  | requires_action  | requires_capture | succeeded        | -               | processing     | failed         |
  | requires_capture | -                | -                | -               | -              | -              |
  | succeeded        | -                | -                | -               | -              | -              |
  | failed           | -                | -                | -               | -              | -              |
  | cancelled        | -                | -                | -               | -              | -              |
`)

const held = grid<PaymentStatus, PaymentTrigger>(`
  |                  | capture    | capture_failed   | cancel          | voided    | void_failed      | action_expired |
  | processing       | -          | requires_capture | processing      | cancelled | requires_capture | -              |
  | requires_action  | -          | -                | requires_action | -         | -                | processing     |
  | requires_capture | processing | -                | processing      | -         | -                | -              |
  | succeeded        | -          | -                | -               | -         | -                | -              |
  | failed           | -          | -                | -               | -         | -                | -              |
  | cancelled        | -          | -                | cancelled       | -         | -                | -              |
`)

test.each([...whole, ...held])('$row on $column: $cell', ({ row, column, cell }) => {
  const attempt = () => step(paymentMachine, { state: row, trigger: column, facts: ordinary }).to
  if (cell === '-') expect(attempt).toThrow('Not possible')
  else expect(attempt()).toBe(cell)
})

test.each([
  ['authorized', { isVerification: true }, 'succeeded'],
  ['captured', { allTaken: false }, 'requires_capture'],
  ['voided', { tookSome: true }, 'succeeded'],
  ['attempt_failed', { cancelAsked: true }, 'cancelled'],
] as const)('processing on %s with %j: %s', (trigger, facts, to) => {
  const situation = { state: 'processing', trigger, facts: { ...ordinary, ...facts } } as const
  expect(step(paymentMachine, situation).to).toBe(to)
})
