/** Rows of usage alerts, and lists of their triggers. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { UsageAlerts } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../../platform/db/versioned-rows.ts'
import type { UsageAlert, UsageAlertDetails, UsageAlertTerms } from '../usage-alert.ts'
import { fromTriggerRow, triggerColumns } from './trigger-rows.ts'

const columns = [
  'id',
  'meter_id',
  'customer_id',
  'name',
  'threshold',
  'active',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type UsageAlertRow = Pick<Selectable<UsageAlerts>, (typeof columns)[number]>

/** The id of the meter that a request refers to. */
export async function requireMeter(view: View, text: string, pointer: string): Promise<Id<'meter'>> {
  const { mode, workspaceId } = view.caller
  const uuid = uuidFromText('meter', mode, text)
  const row =
    uuid === null
      ? undefined
      : await view.db
          .selectFrom('meters')
          .select('id')
          .where('workspace_id', '=', uuidOf(workspaceId))
          .where('id', '=', uuid)
          .executeTakeFirst()
  if (row !== undefined) return idFromUuid('meter', mode, row.id)
  const errors = [{ pointer, code: 'not_found', detail: 'is not the id of an existing meter' } as const]
  return refuse('reference_not_found', { errors })
}

export async function insertUsageAlert(
  tx: Tx,
  { meterId, customerId, threshold }: UsageAlertTerms,
  details: UsageAlertDetails,
): Promise<UsageAlert> {
  const row = await tx.db
    .insertInto('usage_alerts')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('usage_alert')),
      meter_id: uuidOf(meterId),
      customer_id: uuidOrNull(customerId),
      threshold: sql`trim_scale(${threshold}::numeric)`,
      ...toRow(details),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

const alerts = versionedRows<UsageAlertRow, UsageAlert>({
  table: 'usage_alerts',
  kind: 'usage_alert',
  name: 'usage alert',
  columns,
  fromRow,
})
export const { find: findUsageAlert, lock: lockUsageAlert } = alerts

export function updateUsageAlert(
  tx: Tx,
  before: UsageAlert,
  details: UsageAlertDetails,
): Promise<UsageAlert> {
  return alerts.update(tx, before, toRow(details))
}

export type UsageAlertFilter = { readonly meterUuid: string | null; readonly customerUuid: string | null }

export function listUsageAlerts(view: View, range: IdRange, { meterUuid, customerUuid }: UsageAlertFilter) {
  const ofCustomer = customerUuid === null ? sql`` : sql`and customer_id = ${customerUuid}::uuid`
  return listRows(view, range, {
    table: 'usage_alerts',
    columns,
    only: meterUuid === null ? ofCustomer : sql`and meter_id = ${meterUuid}::uuid`,
    fromRow,
  })
}

export function listTriggers(view: View, range: IdRange, id: Id<'usage_alert'>) {
  return listRows(view, range, {
    table: 'usage_alert_triggers',
    columns: triggerColumns,
    only: sql`and usage_alert_id = ${uuidOf(id)}::uuid`,
    fromRow: fromTriggerRow,
  })
}

function toRow({ name, active, metadata }: UsageAlertDetails) {
  return { name, active, metadata: JSON.stringify(metadata) }
}

function fromRow(mode: Mode, row: UsageAlertRow): UsageAlert {
  return {
    id: idFromUuid('usage_alert', mode, row.id),
    meterId: idFromUuid('meter', mode, row.meter_id),
    customerId: idOrNull('customer', mode, row.customer_id),
    name: row.name,
    threshold: row.threshold,
    active: row.active,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
