/**
 * The invoice state machine. How much is owed and whether a payment is in progress are not states but facts,
 * which conditions use.
 */
import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'finalize' | 'pay' | 'settle' | 'reverse' | 'void' | 'mark_uncollectible' | 'discard'
export type Effect =
  | 'assign_number'
  | 'apply_credit'
  | 'collect'
  | 'start_campaign'
  | 'end_campaign'
  | 'return_credit'
export type Facts = {
  /** The amount that would still be owed after the transition. */
  readonly remaining: bigint
  /** A payment has not ended, or its outcome is unknown. */
  readonly paymentInProgress: boolean
}

const nothingRemains = ({ remaining }: Facts) => remaining === 0n
const noPaymentInProgress = ({ paymentInProgress }: Facts) => !paymentInProgress

export const invoiceMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'invoice',
  initial: 'draft',
  actions: ['finalize', 'pay', 'void', 'mark_uncollectible'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'draft',         on: 'finalize',                                      to: 'open',          effects: ['assign_number', 'apply_credit'] },
    // A draft was never sent to the customer, so its subscription can discard it.
    { from: 'draft',         on: 'discard',                                       to: 'void',          effects: []                               },
    { from: 'open',          on: 'settle',             when: nothingRemains,      to: 'paid',          effects: ['end_campaign']                 },
    { from: 'uncollectible', on: 'settle',             when: nothingRemains,      to: 'paid',          effects: ['end_campaign']                 },
    // The bank has returned the debit that paid the invoice.
    { from: 'paid',          on: 'reverse',                                       to: 'open',          effects: ['start_campaign']               },
    { from: 'open',          on: 'pay',                when: noPaymentInProgress, to: 'open',          effects: ['collect']                      },
    { from: 'uncollectible', on: 'pay',                when: noPaymentInProgress, to: 'uncollectible', effects: ['collect']                      },
    { from: 'open',          on: 'void',               when: noPaymentInProgress, to: 'void',          effects: ['return_credit', 'end_campaign'] },
    { from: 'uncollectible', on: 'void',               when: noPaymentInProgress, to: 'void',          effects: ['return_credit']                },
    { from: 'open',          on: 'mark_uncollectible', when: noPaymentInProgress, to: 'uncollectible', effects: ['end_campaign']                 },
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'open',          on: 'finalize',                                      to: 'open',          effects: []                               },
    { from: 'paid',          on: 'finalize',                                      to: 'paid',          effects: []                               },
    { from: 'paid',          on: 'pay',                                           to: 'paid',          effects: []                               },
    { from: 'void',          on: 'void',                                          to: 'void',          effects: []                               },
    { from: 'uncollectible', on: 'mark_uncollectible',                            to: 'uncollectible', effects: []                               },
  ],
}
