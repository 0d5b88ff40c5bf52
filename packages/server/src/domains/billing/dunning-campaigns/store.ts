import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { DunningCampaigns } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { CampaignPolicy, DunningCampaign, Reason, Status, Step, WaitsFor } from './dunning-campaign.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'invoice_id',
  'subscription_id',
  'customer_id',
  'status',
  'reason',
  'policy',
  'failed_at',
  'steps',
  'waits_for',
  'ends_at',
  'ended_at',
  'due_at',
  'test_clock_id',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type CampaignRow = Pick<Selectable<DunningCampaigns>, (typeof columns)[number]>

const missing = 'There is no such dunning campaign.'

export type NewCampaign = Pick<
  DunningCampaign,
  'reason' | 'invoiceId' | 'subscriptionId' | 'customerId' | 'policy' | 'failedAt' | 'steps' | 'endsAt'
>

export async function insertCampaign(tx: Tx, campaign: NewCampaign): Promise<DunningCampaign> {
  const row = await tx.db
    .insertInto('dunning_campaigns')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('dunning_campaign')),
      invoice_id: uuidOf(campaign.invoiceId),
      subscription_id: uuidOrNull(campaign.subscriptionId),
      customer_id: uuidOf(campaign.customerId),
      status: 'running',
      reason: campaign.reason,
      policy: JSON.stringify(campaign.policy),
      failed_at: campaign.failedAt,
      steps: JSON.stringify(campaign.steps),
      ends_at: campaign.endsAt,
      due_at: campaign.endsAt,
      test_clock_id: tx.testClockId === null ? null : uuidOf(tx.testClockId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return wakeAndConvert(tx, row)
}

export type CampaignChanges = Partial<
  Pick<DunningCampaign, 'status' | 'steps' | 'waitsFor' | 'endsAt' | 'endedAt' | 'dueAt'>
>

export async function updateCampaign(
  tx: Tx,
  before: DunningCampaign,
  changes: CampaignChanges,
  emitsEvent: boolean,
): Promise<DunningCampaign> {
  const updated = { ...before, ...changes }
  const row = await tx.db
    .updateTable('dunning_campaigns')
    .set({
      status: updated.status,
      steps: JSON.stringify(updated.steps),
      waits_for: updated.waitsFor,
      ends_at: updated.endsAt,
      ended_at: updated.endedAt,
      due_at: updated.dueAt,
      updated_at: tx.now,
      version: before.version + 1,
      sequence: before.sequence + (emitsEvent ? 1 : 0),
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return wakeAndConvert(tx, row)
}

/** Every write of the due column also schedules the work, so that no command can forget it. */
function wakeAndConvert(tx: Tx, row: CampaignRow): DunningCampaign {
  const after = fromRow(tx.caller.mode, row)
  tx.wake('dunning_campaign.end', after.id, after.dueAt)
  return after
}

export async function findCampaign(view: View, text: string): Promise<DunningCampaign> {
  const row = await byId(view, text)?.executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockCampaign(tx: Tx, text: string): Promise<DunningCampaign> {
  const row = await byId(tx, text)?.forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** The newest campaign of the invoice, in any status. At most one is running. */
export async function lockCampaignOfInvoice(
  tx: Tx,
  invoiceId: Id<'invoice'>,
): Promise<DunningCampaign | null> {
  const row = await inWorkspace(tx)
    .where('invoice_id', '=', uuidOf(invoiceId))
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : null
}

/** The running campaigns of the subscription, oldest first. */
export async function lockRunningCampaigns(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
): Promise<DunningCampaign[]> {
  const rows = await inWorkspace(tx)
    .where('subscription_id', '=', uuidOf(subscriptionId))
    .where('status', '=', 'running')
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

function byId(view: View, text: string) {
  const uuid = uuidFromText('dunning_campaign', view.caller.mode, text)
  return uuid === null ? undefined : inWorkspace(view).where('id', '=', uuid)
}

function inWorkspace(view: View) {
  return view.db
    .selectFrom('dunning_campaigns')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

/** At most one filter: each has its own index. */
export type CampaignFilter = {
  readonly status?: Status | undefined
  readonly subscriptionUuid: string | null
}

export function listCampaigns(view: View, range: IdRange, filter: CampaignFilter) {
  const status = filter.status === undefined ? sql`` : sql`and status = ${filter.status}`
  const subscription =
    filter.subscriptionUuid === null ? sql`` : sql`and subscription_id = ${filter.subscriptionUuid}::uuid`
  return listRows(view, range, {
    table: 'dunning_campaigns',
    columns,
    only: sql`${status} ${subscription}`,
    fromRow,
  })
}

type StoredStep = { readonly [M in keyof Step]: Step[M] extends Date | null ? string | null : Step[M] }

function fromRow(mode: Mode, row: CampaignRow): DunningCampaign {
  const time = (text: string | null) => (text === null ? null : new Date(text))
  return {
    id: idFromUuid('dunning_campaign', mode, row.id),
    invoiceId: idFromUuid('invoice', mode, row.invoice_id),
    subscriptionId: idOrNull('subscription', mode, row.subscription_id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    status: row.status as Status,
    reason: row.reason as Reason,
    policy: row.policy as CampaignPolicy,
    failedAt: row.failed_at,
    steps: (row.steps as StoredStep[]).map((step) => ({
      ...step,
      dueAt: time(step.dueAt) as Date,
      plannedAt: time(step.plannedAt) as Date,
      attemptedAt: time(step.attemptedAt),
    })),
    waitsFor: row.waits_for as WaitsFor | null,
    endsAt: row.ends_at,
    endedAt: row.ended_at,
    dueAt: row.due_at,
    testClockId: idOrNull('test_clock', mode, row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
