import { type Static, Type } from 'typebox'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { eventTypesOf } from '../webhook-endpoints/schema.ts'
import { statuses } from './machine.ts'
import { recoverableStates, usualStates, type WebhookRecovery } from './webhook-recovery.ts'

const rate = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'Deliveries per second at most. Without it, as many as the endpoint bears.',
})
const dryRun = Type.Boolean({ description: 'Only count what would be sent.' })

export const RecoveryObject = Type.Object(
  {
    id: IdOf('webhook_recovery'),
    object: Type.Literal('webhook_recovery'),
    webhook_endpoint_id: IdOf('webhook_endpoint'),
    status: OneOf(statuses, {
      description: '`cancelled`: by you, or because the endpoint was disabled or deleted meanwhile.',
    }),
    since_at: Time,
    until_at: Time,
    states: Type.Array(OneOf(recoverableStates), { description: 'Which deliveries it sends.' }),
    event_types: nullable(
      Type.Array(Type.String({ loggable: true }), { description: 'Only these types; null: all.' }),
    ),
    rate: nullable(rate),
    dry_run: dryRun,
    matched: Type.Integer({ description: 'How many it has found so far.' }),
    released: Type.Integer({ description: 'How many of those it has handed over to be sent.' }),
    created_at: Time,
    updated_at: Time,
    completed_at: mostlyNull({ ...Time, description: 'When it ended, in one way or the other.' }),
  },
  { $id: 'WebhookRecovery', description: 'Sending an endpoint what it missed, in the background.' },
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
        description: 'Events from this time on, at most 30 days back.',
        examples: ['2026-11-14T12:00:00.000Z'],
      }),
      until_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'Events up to this time. Without it, up to now.' }),
      ),
      states: Type.Optional(
        Type.Array(OneOf(recoverableStates), {
          minItems: 1,
          uniqueItems: true,
          default: [...usualStates],
          description:
            'What to send: deliveries in these states. `missing`: events that were never addressed to the endpoint, such as those from before it was created.',
        }),
      ),
      event_types: Type.Optional({
        ...eventTypesOf(types),
        description:
          'Only these. Without it: all that was addressed to the endpoint, and of what is `missing` the types that it asks for.',
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
