import type { Machine } from '../../../kernel/machine.ts'

export const statuses = ['issued', 'void'] as const
export type Status = (typeof statuses)[number]
export type Trigger = 'void'
export type Effect = 'owe_again'
export type Facts = {
  /**
   * Whether part of the note was refunded or became credit, or the amount that it reduced is no longer owed.
   * A failed refund moved no money.
   */
  readonly hasMovedMoney: boolean
}

const noMoneyMoved = ({ hasMovedMoney }: Facts) => !hasMovedMoney

export const creditNoteMachine: Machine<Status, Trigger, Facts, Effect> = {
  object: 'credit note',
  initial: 'issued',
  actions: ['void'],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'issued', on: 'void', when: noMoneyMoved, to: 'void', effects: ['owe_again'] },
    // Repeating an action succeeds without a change, so that clients can retry.
    { from: 'void',   on: 'void',                     to: 'void', effects: []            },
  ],
}
