/**
 * Learned figures of routes: first attempts counted in buckets of six hours, and their snapshots. The time of
 * a payment is the timestamp in its id, which the database generates.
 */

import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { maxWindowDays, type Snapshot } from '../adaptive/adaptive.ts'
import { approvedStatuses, failedStatuses, uncountedDeclines } from '../adaptive/outcomes.ts'
import { type Cell, figuresOf, type StoredSnapshot } from '../adaptive/snapshot.ts'
import type { Adaptive } from '../payment-route.ts'
import { withFirstAttempt } from './first-attempts.ts'

type Route = Id<'payment_route'>

export type Learning = {
  readonly id: Route
  /** The uuid of the last counted payment. */
  readonly countedTo: string
  readonly snapshotNumber: number
  readonly snapshot: StoredSnapshot
  readonly dueAt: Date | null
}

const longestWindowStart = sql`transaction_timestamp() - make_interval(days => ${maxWindowDays})`

/** Starts counting at the beginning of the longest window. Earlier figures are kept. */
export async function startLearning(tx: Tx, id: Route): Promise<void> {
  await sql`
    insert into payment_route_learning as existing (workspace_id, id, counted_to, due_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(id)}, uuid_floor(${longestWindowStart}), ${tx.now})
    on conflict (workspace_id, id) do update set due_at = excluded.due_at,
      counted_to = greatest(existing.counted_to, excluded.counted_to)`.execute(tx.db)
  tx.wake('payment_route.learn', id, tx.now)
}

export async function stopLearning(tx: Tx, id: Route): Promise<void> {
  await tx.db
    .updateTable('payment_route_learning')
    .set({ due_at: null })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .where('due_at', 'is not', null)
    .execute()
}

/** Null if the route was never adaptive. */
export async function lockLearning(tx: Tx, id: Route): Promise<Learning | null> {
  const row = await tx.db
    .selectFrom('payment_route_learning')
    .select(['counted_to', 'snapshot_number', 'snapshot', 'due_at'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return null
  const { counted_to: countedTo, snapshot_number: snapshotNumber, due_at: dueAt } = row
  return { id, countedTo, snapshotNumber, snapshot: row.snapshot as StoredSnapshot, dueAt }
}

type Progress = { readonly countedTo: string; readonly dueAt: Date; readonly snapshot?: StoredSnapshot }

export async function updateLearning(tx: Tx, before: Learning, progress: Progress): Promise<void> {
  const { countedTo, dueAt, snapshot } = progress
  const newSnapshot =
    snapshot === undefined
      ? {}
      : {
          snapshot: JSON.stringify(snapshot),
          snapshot_number: before.snapshotNumber + 1,
          taken_at: tx.now,
        }
  await tx.db
    .updateTable('payment_route_learning')
    .set({ counted_to: countedTo, due_at: dueAt, ...newSnapshot })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .execute()
  tx.wake('payment_route.learn', before.id, dueAt)
}

export type Batch = { readonly last: string; readonly isFull: boolean }

/** The end of the next batch of payments that are old enough; null if there are none. */
export async function nextBatch(
  tx: Tx,
  after: string,
  { outcomeDelayMinutes, limit }: { readonly outcomeDelayMinutes: number; readonly limit: number },
): Promise<Batch | null> {
  const { rows } = await sql<{ last: string; number: number }>`
    select id as last, number::int from (
      select id, row_number() over (order by id) as number from payments
      where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id > ${after}
        and id < uuid_floor(transaction_timestamp() - make_interval(mins => ${outcomeDelayMinutes}))
      order by id limit ${limit}) as portion
    order by number desc limit 1`.execute(tx.db)
  const [batch] = rows
  return batch === undefined ? null : { last: batch.last, isFull: batch.number === limit }
}

/**
 * Adds the first attempts of the route between two payments to its figures. The trace contains the matching
 * rule, by its index in the revision of the payment.
 */
export async function countOutcomes(tx: Tx, { id, countedTo }: Learning, last: string): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await sql`
    insert into payment_route_figures as existing (workspace_id, payment_route_id, rule, currency, card_brand,
      card_country, at, provider_account_id, attempts, approved)
    select workspace_id, payment_route_id, coalesce(revision.definition #>> array['rules', found.rule_index, 'name'], ''),
      currency, card_brand, card_country, at, provider_account_id, sum(attempts)::int, sum(approved)::int
    from (
      select payment.workspace_id, payment.payment_route_id, payment.route_revision, attempt.provider_account_id,
        case when (attempt.trace #>> '{rules,-1,matched}')::boolean then attempt.trace #>> '{rules,-1,rule}' end as rule_index,
        payment.currency, payment.card ->> 'brand' as card_brand, coalesce(payment.card ->> 'country', '') as card_country,
        date_bin(interval '6 hours', uuid_extract_timestamp(payment.id), timestamptz 'epoch') as at,
        sum(1) as attempts, sum(case when attempt.status = any(${approvedStatuses}) then 1 else 0 end) as approved
      from payments as payment ${withFirstAttempt}
      where payment.workspace_id = ${workspace} and payment.id > ${countedTo} and payment.id <= ${last}
        and payment.payment_route_id = ${uuidOf(id)} and payment.purpose = 'payment'
        and (attempt.status = any(${[...approvedStatuses, ...failedStatuses]}) or (attempt.status = 'declined'
          and coalesce(attempt.decline ->> 'code', '') <> all(${uncountedDeclines})))
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9) as found
    join payment_route_revisions as revision using (workspace_id, payment_route_id)
    where revision.number = found.route_revision
    group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (workspace_id, payment_route_id, rule, currency, card_brand, card_country, at, provider_account_id)
    do update set attempts = existing.attempts + excluded.attempts, approved = existing.approved + excluded.approved`.execute(
    tx.db,
  )
}

/** Deletes figures that are older than the longest window. */
export async function deleteExpiredFigures(tx: Tx, id: Route): Promise<void> {
  await sql`delete from payment_route_figures
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and payment_route_id = ${uuidOf(id)}
      and at < ${longestWindowStart} - interval '1 day'`.execute(tx.db)
}

/** The figures in the window of each rule. */
export async function readCells(
  tx: Tx,
  id: Route,
  settingsByRule: ReadonlyMap<string, Adaptive>,
): Promise<readonly Cell[]> {
  const { rows } = await sql<Omit<Cell, 'accountId'> & { provider_account_id: string }>`
    select figures.rule, figures.currency, figures.card_brand, figures.card_country, figures.provider_account_id,
      sum(figures.attempts)::int as attempts, sum(figures.approved)::int as approved
    from unnest(${[...settingsByRule.keys()]}::text[],
        ${[...settingsByRule.values()].map(({ window_days }) => window_days)}::int[]) as settings (rule, window_days)
      join payment_route_figures as figures on figures.rule = settings.rule
        and figures.at >= transaction_timestamp() - make_interval(days => settings.window_days)
    where figures.workspace_id = ${uuidOf(tx.caller.workspaceId)} and figures.payment_route_id = ${uuidOf(id)}
    group by 1, 2, 3, 4, 5`.execute(tx.db)
  return rows.map(({ provider_account_id: account, ...cell }) => ({
    ...cell,
    accountId: idFromUuid('provider_account', tx.caller.mode, account),
  }))
}

/** The snapshots of routes that currently use them. */
export async function listSnapshots(view: View): Promise<ReadonlyMap<string, Snapshot>> {
  const rows = await view.db
    .selectFrom('payment_route_learning')
    .select(['id', 'snapshot_number', 'snapshot', 'taken_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('due_at', 'is not', null)
    .where('taken_at', 'is not', null)
    .execute()
  return new Map(
    rows.map((row) => [
      idFromUuid('payment_route', view.caller.mode, row.id),
      {
        number: row.snapshot_number,
        takenAt: (row.taken_at as Date).toISOString(),
        rules: figuresOf(row.snapshot as StoredSnapshot),
      },
    ]),
  )
}
