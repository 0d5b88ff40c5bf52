/** The states of a payment. Amounts show partial results, states do not. */
import type { Machine } from '../../kernel/machine.ts'
import type { Payment, PaymentStatus } from './payment.ts'

export type PaymentTrigger =
  | 'authorized'
  | 'captured'
  | 'action_required'
  | 'payer_returned'
  | 'action_expired'
  | 'attempt_failed'
  | 'capture'
  | 'capture_failed'
  | 'cancel'
  | 'voided'
  | 'void_failed'
export type PaymentEffect = 'hold' | 'take' | 'let_go' | 'ask_to_undo'
export type PaymentFacts = {
  readonly isVerification: boolean
  /** Nothing is left to capture, or the last capture was said to be the last. */
  readonly allTaken: boolean
  /** Something was captured before: that stays taken. */
  readonly tookSome: boolean
  readonly cancelAsked: boolean
}

export function factsOf(payment: Payment, allTaken = false): PaymentFacts {
  return {
    isVerification: payment.purpose === 'verification',
    allTaken,
    tookSome: payment.amountCaptured > 0n,
    cancelAsked: payment.cancelRequestedAt !== null,
  }
}

const verification = (facts: PaymentFacts) => facts.isVerification
const allTaken = (facts: PaymentFacts) => facts.allTaken
const tookSome = (facts: PaymentFacts) => facts.tookSome
const cancelAsked = (facts: PaymentFacts) => facts.cancelAsked

export const paymentMachine: Machine<PaymentStatus, PaymentTrigger, PaymentFacts, PaymentEffect> = {
  initial: 'processing',
  actions: ['capture', 'cancel'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'processing',       on: 'authorized',      when: verification, to: 'succeeded',        effects: []              },
    { from: 'processing',       on: 'authorized',                          to: 'requires_capture', effects: ['hold']        },
    { from: 'processing',       on: 'captured',        when: allTaken,     to: 'succeeded',        effects: ['take']        },
    { from: 'processing',       on: 'captured',                            to: 'requires_capture', effects: ['take']        },
    { from: 'processing',       on: 'action_required',                     to: 'requires_action',  effects: []              },
    { from: 'processing',       on: 'attempt_failed',  when: cancelAsked,  to: 'cancelled',        effects: []              },
    { from: 'processing',       on: 'attempt_failed',                      to: 'failed',           effects: []              },
    { from: 'processing',       on: 'capture_failed',                      to: 'requires_capture', effects: []              },
    { from: 'processing',       on: 'voided',          when: tookSome,     to: 'succeeded',        effects: ['let_go']      },
    { from: 'processing',       on: 'voided',                              to: 'cancelled',        effects: ['let_go']      },
    { from: 'processing',       on: 'void_failed',                         to: 'requires_capture', effects: []              },
    // It is not known yet what there is to undo: the resolver makes sure that nothing is.
    { from: 'processing',       on: 'cancel',                              to: 'processing',       effects: ['ask_to_undo'] },
    { from: 'requires_action',  on: 'payer_returned',                      to: 'processing',       effects: []              },
    // The payer did not come back. That nothing was taken has to be proven first.
    { from: 'requires_action',  on: 'action_expired',                      to: 'processing',       effects: []              },
    { from: 'requires_action',  on: 'captured',                            to: 'succeeded',        effects: ['take']        },
    { from: 'requires_action',  on: 'authorized',      when: verification, to: 'succeeded',        effects: []              },
    { from: 'requires_action',  on: 'authorized',                          to: 'requires_capture', effects: ['hold']        },
    { from: 'requires_action',  on: 'attempt_failed',  when: cancelAsked,  to: 'cancelled',        effects: []              },
    { from: 'requires_action',  on: 'attempt_failed',                      to: 'failed',           effects: []              },
    { from: 'requires_action',  on: 'cancel',                              to: 'requires_action',  effects: ['ask_to_undo'] },
    { from: 'requires_capture', on: 'capture',                             to: 'processing',       effects: []              },
    { from: 'requires_capture', on: 'cancel',                              to: 'processing',       effects: []              },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'cancelled',        on: 'cancel',                              to: 'cancelled',        effects: []              },
  ],
}
