import type { Selectable } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { DunningPolicies } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { DunningPolicy, PolicyTerms } from './dunning-policy.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'retry_days',
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

const missing = 'There is no such dunning policy.'
const missingReference = 'is not the id of an existing dunning policy'

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

export async function updatePolicy(
  tx: Tx,
  before: DunningPolicy,
  terms: PolicyTerms,
): Promise<DunningPolicy> {
  const row = await tx.db
    .updateTable('dunning_policies')
    .set({
      ...toRow(terms),
      updated_at: tx.now,
      version: before.version + 1,
      sequence: before.sequence + 1,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

export async function findPolicy(view: View, text: string): Promise<DunningPolicy> {
  const row = await byId(view, text)?.executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockPolicy(tx: Tx, text: string): Promise<DunningPolicy> {
  const row = await byId(tx, text)?.forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** For a reference in a request: a missing policy is a validation error. */
export async function requirePolicy(view: View, text: string): Promise<DunningPolicy> {
  const row = await byId(view, text)?.executeTakeFirst()
  if (row) return fromRow(view.caller.mode, row)
  const errors = [{ pointer: '/dunning_policy_id', code: 'not_found', detail: missingReference } as const]
  return refuse('reference_not_found', { errors })
}

function byId(view: View, text: string) {
  const uuid = uuidFromText('dunning_policy', view.caller.mode, text)
  if (uuid === null) return undefined
  return view.db
    .selectFrom('dunning_policies')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listPolicies(view: View, range: IdRange) {
  return listRows(view, range, { table: 'dunning_policies', columns, fromRow })
}

function toRow(terms: PolicyTerms) {
  return {
    name: terms.name,
    retry_days: [...terms.retryDays],
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
