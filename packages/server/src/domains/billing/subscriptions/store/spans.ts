/** Rows of accounted time. The primary key of the table prevents overlaps. */
import { sql } from 'kysely'
import { type Id, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { SpanChange } from '../plan/snapshot.ts'

export type SpanChanges = {
  readonly subscriptionId: Id<'subscription'>
  readonly changes: readonly SpanChange[]
}

/** Applies changes in bulk. Changes that only add spans, as all renewals do, are one statement. */
export async function changeSpans(tx: Tx, allChanges: readonly SpanChanges[]): Promise<void> {
  const additions = allChanges.filter(({ changes }) => changes.every(({ action }) => action === 'add'))
  await addSpans(
    tx,
    additions.flatMap(({ subscriptionId, changes }) =>
      changes.flatMap((change) => (change.action === 'add' ? [{ subscriptionId, ...change }] : [])),
    ),
  )
  for (const spanChanges of allChanges)
    if (!additions.includes(spanChanges)) await changeInOrder(tx, spanChanges)
}

async function changeInOrder(tx: Tx, { subscriptionId, changes }: SpanChanges): Promise<void> {
  for (const change of changes) {
    if (change.action === 'truncate') await truncate(tx, subscriptionId, change.at)
    else if (change.action === 'free') await free(tx, subscriptionId, change.invoiceId)
    else await addSpans(tx, [{ subscriptionId, ...change }])
  }
}

type AddedSpan = Extract<SpanChange, { action: 'add' }> & { readonly subscriptionId: Id<'subscription'> }

async function addSpans(tx: Tx, spans: readonly AddedSpan[]): Promise<void> {
  if (spans.length === 0) return
  const records = spans.map(({ subscriptionId, kind, startAt, endAt, invoiceId }) => ({
    subscription_id: uuidOf(subscriptionId),
    kind,
    start_at: startAt,
    end_at: endAt,
    invoice_id: uuidOrNull(invoiceId),
  }))
  await sql`
    insert into billing_spans (workspace_id, subscription_id, during, kind, invoice_id)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, subscription_id, tstzrange(start_at, end_at, '[)'), kind, invoice_id
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
      as new_span (subscription_id uuid, kind text, start_at timestamptz, end_at timestamptz, invoice_id uuid)`.execute(
    tx.db,
  )
}

/** Removes all accounted time after `at`. */
async function truncate(tx: Tx, subscriptionId: Id<'subscription'>, at: Date): Promise<void> {
  const ofSubscription = sql`workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscription_id = ${uuidOf(subscriptionId)}`
  await sql`delete from billing_spans where ${ofSubscription} and during && tstzrange(${at}::timestamptz, null)
    and lower(during) >= ${at}::timestamptz`.execute(tx.db)
  await sql`update billing_spans set during = tstzrange(lower(during), ${at}::timestamptz, '[)')
    where ${ofSubscription} and during @> ${at}::timestamptz`.execute(tx.db)
}

async function free(tx: Tx, subscriptionId: Id<'subscription'>, invoiceId: Id<'invoice'>): Promise<void> {
  await sql`
    delete from billing_spans
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscription_id = ${uuidOf(subscriptionId)}
      and invoice_id = ${uuidOf(invoiceId)}`.execute(tx.db)
}
