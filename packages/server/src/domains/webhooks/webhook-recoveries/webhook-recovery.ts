/** A recovery: a background job that finds past events of an endpoint and resends them. */
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'

/** `pending`: waiting for the next attempt. `missing`: events without a delivery to the endpoint. */
export const recoverableStates = ['held', 'exhausted', 'pending', 'delivered', 'missing'] as const
export type RecoverableState = (typeof recoverableStates)[number]

/** The states of undelivered events, which a recovery resends by default. */
export const defaultStates: readonly RecoverableState[] = ['held', 'exhausted']

/** The search criteria and the limits of a recovery. */
export type RecoveryCriteria = {
  /** Real time, like the times in the ids of events. Both bounds are inclusive. */
  readonly sinceAt: Date
  readonly untilAt: Date
  readonly states: readonly RecoverableState[]
  readonly eventTypes: readonly string[] | null
  /** Deliveries per second; null: limited only by the endpoint. */
  readonly rate: number | null
  readonly dryRun: boolean
}

export type WebhookRecovery = RecoveryCriteria & {
  readonly id: Id<'webhook_recovery'>
  readonly webhookEndpointId: Id<'webhook_endpoint'>
  readonly status: Status
  readonly matched: number
  readonly released: number
  /** The uuid of the last processed row; null before the first batch. */
  readonly cursor: string | null
  /** When the next batch is due; null after the end. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  readonly version: number
}
