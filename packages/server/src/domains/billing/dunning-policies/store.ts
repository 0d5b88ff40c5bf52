import type { Selectable } from 'kysely'
import { idFromUuid, type Mode, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { DunningPolicies } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../platform/db/versioned-rows.ts'
import type { DunningPolicy, PolicyTerms } from './dunning-policy.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'retry_days',
  'reminder_days',
  'local_hour',
  'jitter_minutes',
  'grace',
  'final_subscription',
  'final_invoice',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type PolicyRow = Pick<Selectable<DunningPolicies>, (typeof columns)[number]>

export async function insertPolicy(tx: Tx, terms: PolicyTerms): Promise<DunningPolicy> {
  const row = await tx.db
    .insertInto('dunning_policies')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('dunning_policy')),
      ...toRow(terms),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

const policies = versionedRows<PolicyRow, DunningPolicy>({
  table: 'dunning_policies',
  kind: 'dunning_policy',
  name: 'dunning policy',
  columns,
  fromRow,
})
export const { find: findPolicy, lock: lockPolicy, require: requirePolicy } = policies

export function updatePolicy(tx: Tx, before: DunningPolicy, terms: PolicyTerms): Promise<DunningPolicy> {
  return policies.update(tx, before, toRow(terms))
}

export function listPolicies(view: View, range: IdRange) {
  return listRows(view, range, { table: 'dunning_policies', columns, fromRow })
}

function toRow(terms: PolicyTerms) {
  return {
    name: terms.name,
    retry_days: [...terms.retryDays],
    reminder_days: [...terms.reminderDays],
    local_hour: terms.localHour,
    jitter_minutes: terms.jitterMinutes,
    grace: terms.grace,
    final_subscription: terms.final.subscription,
    final_invoice: terms.final.invoice,
    metadata: JSON.stringify(terms.metadata),
  }
}

function fromRow(mode: Mode, row: PolicyRow): DunningPolicy {
  return {
    id: idFromUuid('dunning_policy', mode, row.id),
    name: row.name,
    retryDays: row.retry_days,
    reminderDays: row.reminder_days,
    localHour: row.local_hour,
    jitterMinutes: row.jitter_minutes,
    grace: row.grace as DunningPolicy['grace'],
    final: {
      subscription: row.final_subscription as DunningPolicy['final']['subscription'],
      invoice: row.final_invoice as DunningPolicy['final']['invoice'],
    },
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
