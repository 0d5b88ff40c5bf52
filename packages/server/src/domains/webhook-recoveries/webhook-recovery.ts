/** A search through the past of an endpoint, for what is to be sent to it once more. */
import type { Id } from '../../kernel/id.ts'
import type { Status } from './machine.ts'

/** `missing`: events that were never addressed to the endpoint. */
export const recoverableStates = ['held', 'exhausted', 'delivered', 'missing'] as const
export type RecoverableState = (typeof recoverableStates)[number]

/** What did not arrive, although it was addressed to the endpoint. */
export const usualStates: readonly RecoverableState[] = ['held', 'exhausted']

/** What is looked for, and how. */
export type RecoveryTerms = {
  /** By the wall, as events are dated; both belong to it. */
  readonly sinceAt: Date
  readonly untilAt: Date
  readonly states: readonly RecoverableState[]
  readonly eventTypes: readonly string[] | null
  /** Per second; null: as many as the endpoint bears. */
  readonly rate: number | null
  readonly dryRun: boolean
}

export type WebhookRecovery = RecoveryTerms & {
  readonly id: Id<'webhook_recovery'>
  readonly webhookEndpointId: Id<'webhook_endpoint'>
  readonly status: Status
  readonly matched: number
  readonly released: number
  /** How far it got: an id, as the database has it. Null: nowhere yet. */
  readonly cursor: string | null
  /** When its next step is due, while it runs. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  readonly version: number
}
