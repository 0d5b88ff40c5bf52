import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { eventTypesSchema } from '../webhook-endpoints/schema.ts'
import { statuses } from './machine.ts'
import { defaultStates, recoverableStates, type WebhookRecovery } from './webhook-recovery.ts'

const rate = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'Maximum number of deliveries per second. Default: as fast as the endpoint allows.',
})
const dryRun = Type.Boolean({ description: 'Only count the deliveries that would be sent.' })

export const RecoveryObject = Type.Object(
  {
    id: IdOf('webhook_recovery'),
    object: Type.Literal('webhook_recovery'),
    webhook_endpoint_id: IdOf('webhook_endpoint'),
    status: OneOf(statuses, {
      description: '`cancelled`: cancelled by you, or because the endpoint was disabled or deleted.',
    }),
    since_at: { ...Time, description: 'Start of the period.' },
    until_at: { ...Time, description: 'End of the period.' },
    states: Type.Array(OneOf(recoverableStates), {
      description: 'States of the deliveries that are resent.',
    }),
    event_types: nullable(
      Type.Array(Type.String({ loggable: true }), {
        description: 'Only events of these types. Null: all types.',
      }),
    ),
    rate: nullable(rate),
    dry_run: dryRun,
    matched: Type.Integer({ description: 'Number of deliveries found so far.' }),
    released: Type.Integer({ description: 'Number of deliveries released for sending.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: nullableWithNullExample({
      ...Time,
      description: 'Time the recovery completed or was cancelled. Null before that.',
    }),
  },
  {
    $id: 'WebhookRecovery',
    description: 'A background job that resends missed events to a webhook endpoint.',
  },
)

export { WebhookEndpointPath as EndpointPath } from '../webhook-endpoints/schema.ts'
export const RecoveryPath = Type.Object({
  webhook_endpoint_id: IdOf('webhook_endpoint'),
  webhook_recovery_id: IdOf('webhook_recovery'),
})

export const StartRecovery = (types: readonly string[]) =>
  Type.Object(
    {
      since_at: Type.String({
        format: 'date-time',
        description: 'Start of the period, at most 30 days ago.',
        examples: ['2026-11-14T12:00:00.000Z'],
      }),
      until_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'End of the period. Default: now.' }),
      ),
      states: Type.Optional(
        Type.Array(OneOf(recoverableStates), {
          minItems: 1,
          uniqueItems: true,
          default: [...defaultStates],
          description:
            'Deliveries to resend, by state. `pending`: deliveries waiting for their next attempt, which is then made immediately. `missing`: events that were never sent to the endpoint, such as those from before it was created.',
        }),
      ),
      event_types: Type.Optional({
        ...eventTypesSchema(types),
        description:
          'Only events of these types. Default: all events addressed to the endpoint and, for `missing`, the types it subscribes to.',
      }),
      rate: Type.Optional(rate),
      dry_run: Type.Optional(Type.Boolean({ ...dryRun, default: false })),
    },
    { additionalProperties: false },
  )
export type StartRecovery = Static<ReturnType<typeof StartRecovery>>

export function present(recovery: WebhookRecovery): Static<typeof RecoveryObject> {
  return {
    id: recovery.id,
    object: 'webhook_recovery',
    webhook_endpoint_id: recovery.webhookEndpointId,
    status: recovery.status,
    since_at: recovery.sinceAt.toISOString(),
    until_at: recovery.untilAt.toISOString(),
    states: [...recovery.states],
    event_types: recovery.eventTypes === null ? null : [...recovery.eventTypes],
    rate: recovery.rate,
    dry_run: recovery.dryRun,
    matched: recovery.matched,
    released: recovery.released,
    created_at: recovery.createdAt.toISOString(),
    updated_at: recovery.updatedAt.toISOString(),
    completed_at: recovery.completedAt?.toISOString() ?? null,
  }
}
