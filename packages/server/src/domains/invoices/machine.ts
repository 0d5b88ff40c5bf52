/** The life of an invoice. What is owed is said by its amounts, and that a payment is under way by its payment. */
import type { Machine } from '../../kernel/machine.ts'

export const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'finalize' | 'pay' | 'settle' | 'void' | 'mark_uncollectible' | 'discard'
export type Effect = 'give_number' | 'apply_credit' | 'collect' | 'end_campaign' | 'return_credit'
export type Facts = {
  /** What would still be owed afterwards. */
  readonly remaining: bigint
  /** A payment has not ended, or it is not known how. */
  readonly paymentUnderWay: boolean
}

const nothingRemains = ({ remaining }: Facts) => remaining === 0n
const noPaymentUnderWay = ({ paymentUnderWay }: Facts) => !paymentUnderWay

export const invoiceMachine: Machine<Status, Trigger, Facts, Effect> = {
  initial: 'draft',
  actions: ['finalize', 'pay', 'void', 'mark_uncollectible'],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'draft',         on: 'finalize',                                    to: 'open',          effects: ['give_number', 'apply_credit'] },
    // It was never sent to anybody: its subscription has changed its mind.
    { from: 'draft',         on: 'discard',                                     to: 'void',          effects: []                              },
    { from: 'open',          on: 'settle',             when: nothingRemains,    to: 'paid',          effects: ['end_campaign']                },
    { from: 'uncollectible', on: 'settle',             when: nothingRemains,    to: 'paid',          effects: ['end_campaign']                },
    { from: 'open',          on: 'pay',                when: noPaymentUnderWay, to: 'open',          effects: ['collect']                     },
    { from: 'uncollectible', on: 'pay',                when: noPaymentUnderWay, to: 'uncollectible', effects: ['collect']                     },
    { from: 'open',          on: 'void',               when: noPaymentUnderWay, to: 'void',          effects: ['return_credit', 'end_campaign'] },
    { from: 'uncollectible', on: 'void',               when: noPaymentUnderWay, to: 'void',          effects: ['return_credit']               },
    { from: 'open',          on: 'mark_uncollectible', when: noPaymentUnderWay, to: 'uncollectible', effects: ['end_campaign']                },
    // What already holds is a success without a change, so that a client may repeat itself.
    { from: 'open',          on: 'finalize',                                    to: 'open',          effects: []                              },
    { from: 'paid',          on: 'finalize',                                    to: 'paid',          effects: []                              },
    { from: 'paid',          on: 'pay',                                         to: 'paid',          effects: []                              },
    { from: 'void',          on: 'void',                                        to: 'void',          effects: []                              },
    { from: 'uncollectible', on: 'mark_uncollectible',                          to: 'uncollectible', effects: []                              },
  ],
}
