import { expect, test } from 'vitest'
import { grid } from '../../../../test/support/grid.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { type PaymentTrigger, paymentMachine } from './machine.ts'
import type { PaymentStatus } from './payment.ts'

const defaultFacts = {
  isVerification: false,
  fullyCaptured: true,
  partlyCaptured: false,
  cancelRequested: false,
}

const attemptTriggers = grid<PaymentStatus, PaymentTrigger>(`
  |                  | authorized       | captured         | submitted  | action_required | payer_returned | attempt_failed |
  | processing       | requires_capture | succeeded        | processing | requires_action | -              | failed         |
  | requires_action  | requires_capture | succeeded        | -          | -               | processing     | failed         |
  | requires_capture | -                | -                | -          | -               | -              | -              |
  | succeeded        | -                | -                | -          | -               | -              | -              |
  | failed           | -                | -                | -          | -               | -              | -              |
  | cancelled        | -                | -                | -          | -               | -              | -              |
`)

const authorizationTriggers = grid<PaymentStatus, PaymentTrigger>(`
  |                  | capture    | capture_failed   | cancel          | voided    | void_failed      | action_expired |
  | processing       | -          | requires_capture | processing      | cancelled | requires_capture | -              |
  | requires_action  | -          | -                | requires_action | -         | -                | processing     |
  | requires_capture | processing | -                | processing      | -         | -                | -              |
  | succeeded        | -          | -                | -               | -         | -                | -              |
  | failed           | -          | -                | -               | -         | -                | -              |
  | cancelled        | -          | -                | cancelled       | -         | -                | -              |
`)

test.each([...attemptTriggers, ...authorizationTriggers])(
  '$row on $column: $cell',
  ({ row, column, cell }) => {
    const transition = () =>
      nextTransition(paymentMachine, { state: row, trigger: column, facts: defaultFacts }).to
    if (cell === '-') expect(transition).toThrow(/ cannot (be|get) /)
    else expect(transition()).toBe(cell)
  },
)

test.each([
  ['authorized', { isVerification: true }, 'succeeded'],
  ['captured', { fullyCaptured: false }, 'requires_capture'],
  ['voided', { partlyCaptured: true }, 'succeeded'],
  ['attempt_failed', { cancelRequested: true }, 'cancelled'],
] as const)('processing on %s with %j: %s', (trigger, facts, to) => {
  const input = { state: 'processing', trigger, facts: { ...defaultFacts, ...facts } } as const
  expect(nextTransition(paymentMachine, input).to).toBe(to)
})
