import type { Id } from '../../../kernel/id.ts'

/**
 * The record of one change. `data` is the text that was serialized with the change, and is never serialized
 * again.
 */
export type Event = {
  readonly id: Id<'event'>
  readonly type: string
  readonly apiVersion: string
  readonly createdAt: Date
  /** The number of deliveries that are pending or held. */
  readonly pendingDeliveries: number
  readonly data: string
}

export type EventType = { readonly type: string; readonly about: string }
