import type { Selectable } from 'kysely'
import { idFromUuid, type Mode } from '../../../../kernel/id.ts'
import type { UsageAlertTriggers } from '../../../../platform/db/tables.generated.ts'
import type { UsageAlertTrigger } from '../usage-alert.ts'

export const triggerColumns = [
  'id',
  'usage_alert_id',
  'meter_id',
  'customer_id',
  'period_start_at',
  'period_end_at',
  'threshold',
  'usage',
  'created_at',
  'sequence',
] as const
export type TriggerRow = Pick<Selectable<UsageAlertTriggers>, (typeof triggerColumns)[number]>

export function fromTriggerRow(mode: Mode, row: TriggerRow): UsageAlertTrigger {
  return {
    id: idFromUuid('usage_alert_trigger', mode, row.id),
    usageAlertId: idFromUuid('usage_alert', mode, row.usage_alert_id),
    meterId: idFromUuid('meter', mode, row.meter_id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    periodStartAt: row.period_start_at,
    periodEndAt: row.period_end_at,
    threshold: row.threshold,
    usage: row.usage,
    createdAt: row.created_at,
    sequence: row.sequence,
  }
}
