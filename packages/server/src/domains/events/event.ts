import type { Id } from '../../kernel/id.ts'

/** A log entry for a change. `data` is the text that was made with the change; nobody serializes it again. */
export type Event = {
  readonly id: Id<'event'>
  readonly type: string
  readonly apiVersion: string
  readonly createdAt: Date
  /** Deliveries that have not been made yet, and may still be. */
  readonly pendingDeliveries: number
  readonly data: string
}

export type EventType = { readonly type: string; readonly about: string }
