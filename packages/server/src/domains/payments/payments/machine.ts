/** The payment state machine. Partial captures and refunds show in the amounts, not in the status. */
import type { Machine } from '../../../kernel/machine.ts'
import type { Payment, PaymentStatus } from './payment.ts'

export type PaymentTrigger =
  | 'authorized'
  | 'captured'
  | 'submitted'
  | 'action_required'
  | 'payer_returned'
  | 'action_expired'
  | 'attempt_failed'
  | 'capture'
  | 'capture_failed'
  | 'cancel'
  | 'voided'
  | 'void_failed'
export type PaymentEffect = 'authorize' | 'capture' | 'void' | 'request_undo'
export type PaymentFacts = {
  readonly isVerification: boolean
  /** Nothing is left to capture, or the last capture was marked as final. */
  readonly fullyCaptured: boolean
  /** Part of the amount was captured before. */
  readonly partlyCaptured: boolean
  readonly cancelRequested: boolean
}

export function factsOf(payment: Payment, fullyCaptured = false): PaymentFacts {
  return {
    isVerification: payment.purpose === 'verification',
    fullyCaptured,
    partlyCaptured: payment.amountCaptured > 0n,
    cancelRequested: payment.cancelRequestedAt !== null,
  }
}

const verification = (facts: PaymentFacts) => facts.isVerification
const fullyCaptured = (facts: PaymentFacts) => facts.fullyCaptured
const partlyCaptured = (facts: PaymentFacts) => facts.partlyCaptured
const cancelRequested = (facts: PaymentFacts) => facts.cancelRequested

export const paymentMachine: Machine<PaymentStatus, PaymentTrigger, PaymentFacts, PaymentEffect> = {
  object: 'payment',
  initial: 'processing',
  actions: ['capture', 'cancel'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'processing',       on: 'authorized',      when: verification,    to: 'succeeded',        effects: []               },
    { from: 'processing',       on: 'authorized',                             to: 'requires_capture', effects: ['authorize']    },
    { from: 'processing',       on: 'captured',        when: fullyCaptured,   to: 'succeeded',        effects: ['capture']      },
    { from: 'processing',       on: 'captured',                               to: 'requires_capture', effects: ['capture']      },
    // The bank confirms or rejects a debit days later.
    { from: 'processing',       on: 'submitted',                              to: 'processing',       effects: []               },
    { from: 'processing',       on: 'action_required',                        to: 'requires_action',  effects: []               },
    { from: 'processing',       on: 'attempt_failed',  when: cancelRequested, to: 'cancelled',        effects: []               },
    { from: 'processing',       on: 'attempt_failed',                         to: 'failed',           effects: []               },
    { from: 'processing',       on: 'capture_failed',                         to: 'requires_capture', effects: []               },
    { from: 'processing',       on: 'voided',          when: partlyCaptured,  to: 'succeeded',        effects: ['void']         },
    { from: 'processing',       on: 'voided',                                 to: 'cancelled',        effects: ['void']         },
    { from: 'processing',       on: 'void_failed',                            to: 'requires_capture', effects: []               },
    // The outcome is still unknown: the resolver reverses a charge or authorization if there was one.
    { from: 'processing',       on: 'cancel',                                 to: 'processing',       effects: ['request_undo'] },
    { from: 'requires_action',  on: 'payer_returned',                         to: 'processing',       effects: []               },
    // The payer did not return in time. The payment fails only once the provider confirms that nothing was
    // charged.
    { from: 'requires_action',  on: 'action_expired',                         to: 'processing',       effects: []               },
    { from: 'requires_action',  on: 'captured',                               to: 'succeeded',        effects: ['capture']      },
    { from: 'requires_action',  on: 'authorized',      when: verification,    to: 'succeeded',        effects: []               },
    { from: 'requires_action',  on: 'authorized',                             to: 'requires_capture', effects: ['authorize']    },
    { from: 'requires_action',  on: 'attempt_failed',  when: cancelRequested, to: 'cancelled',        effects: []               },
    { from: 'requires_action',  on: 'attempt_failed',                         to: 'failed',           effects: []               },
    { from: 'requires_action',  on: 'cancel',                                 to: 'requires_action',  effects: ['request_undo'] },
    { from: 'requires_capture', on: 'capture',                                to: 'processing',       effects: []               },
    { from: 'requires_capture', on: 'cancel',                                 to: 'processing',       effects: []               },
    // Cancelling a cancelled payment succeeds without a change, so that clients can retry.
    { from: 'cancelled',        on: 'cancel',                                 to: 'cancelled',        effects: []               },
  ],
}
