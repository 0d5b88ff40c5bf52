/** API schemas of usage alerts. */
import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullableWithNullExample,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import type { UsageAlert, UsageAlertTrigger } from './usage-alert.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'Name of the alert.',
  examples: ['80% of the included requests'],
})
const active = Type.Boolean({
  description: 'Whether the alert can trigger. False archives it.',
  examples: [true],
  loggable: true,
})
const threshold = Type.String({
  pattern: '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,12})?$',
  faultDetail: 'must be a decimal of up to 15 digits before and 12 after the point, such as "8000"',
  description: 'Usage at which the alert triggers, as a decimal above 0.',
  examples: ['8000'],
  loggable: true,
})
const customerId = nullableWithNullExample(
  IdOf('customer', 'Customer whose usage is compared with the threshold. Null: each customer.'),
)

export const UsageAlertObject = Type.Object(
  {
    id: IdOf('usage_alert'),
    object: Type.Literal('usage_alert'),
    meter_id: IdOf('meter'),
    customer_id: customerId,
    name,
    threshold,
    active,
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'UsageAlert',
    description: 'Emits an event when the usage of a customer reaches a threshold in a period.',
  },
)

export const CreateUsageAlert = Type.Object(
  {
    meter_id: IdOf('meter', 'Meter whose usage is compared with the threshold.'),
    customer_id: Type.Optional(customerId),
    name,
    threshold,
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateUsageAlert = Static<typeof CreateUsageAlert>

export const UpdateUsageAlert = Type.Object(
  { name: Type.Optional(name), active: Type.Optional(active), metadata: Type.Optional(MetadataChange) },
  { additionalProperties: false },
)
export type UpdateUsageAlert = Static<typeof UpdateUsageAlert>

export const UsageAlertPath = Type.Object({ usage_alert_id: IdOf('usage_alert') })

export function present(alert: UsageAlert): Static<typeof UsageAlertObject> {
  return {
    id: alert.id,
    object: 'usage_alert',
    meter_id: alert.meterId,
    customer_id: alert.customerId,
    name: alert.name,
    threshold: alert.threshold,
    active: alert.active,
    metadata: alert.metadata,
    created_at: alert.createdAt.toISOString(),
    updated_at: alert.updatedAt.toISOString(),
  }
}

export const UsageAlertTriggerObject = Type.Object(
  {
    id: IdOf('usage_alert_trigger'),
    object: Type.Literal('usage_alert_trigger'),
    usage_alert_id: IdOf('usage_alert'),
    meter_id: IdOf('meter'),
    customer_id: IdOf('customer', 'Customer whose usage reached the threshold.'),
    period: Type.Object(
      {
        start_at: { ...Time, description: 'Start of the period.', examples: ['2026-11-01T00:00:00.000Z'] },
        end_at: { ...Time, description: 'End of the period.', examples: ['2026-12-01T00:00:00.000Z'] },
      },
      {
        description:
          'Period in which the usage occurred: the period in which a subscription bills the usage, otherwise the calendar month in UTC.',
      },
    ),
    threshold: Type.String({ description: 'Threshold of the alert as a decimal.', examples: ['8000'] }),
    usage: Type.String({
      description: 'Usage in the period, as a decimal, when the alert triggered.',
      examples: ['8004'],
    }),
    created_at: { ...CreatedAt, description: 'Time the alert triggered, as an RFC 3339 timestamp in UTC.' },
  },
  {
    $id: 'UsageAlertTrigger',
    description: 'A customer whose usage reached the threshold of a usage alert in a period.',
  },
)

export function presentTrigger(trigger: UsageAlertTrigger): Static<typeof UsageAlertTriggerObject> {
  return {
    id: trigger.id,
    object: 'usage_alert_trigger',
    usage_alert_id: trigger.usageAlertId,
    meter_id: trigger.meterId,
    customer_id: trigger.customerId,
    period: {
      start_at: trigger.periodStartAt.toISOString(),
      end_at: trigger.periodEndAt.toISOString(),
    },
    threshold: trigger.threshold,
    usage: trigger.usage,
    created_at: trigger.createdAt.toISOString(),
  }
}
