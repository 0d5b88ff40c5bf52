/** The time that is accounted for. The database refuses a second account of any instant. */
import { sql } from 'kysely'
import { type Id, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { SpanChange } from '../plan/scene.ts'

export type SpanChanges = {
  readonly subscriptionId: Id<'subscription'>
  readonly changes: readonly SpanChange[]
}

/** For many: additions are one statement, and renewals add and do nothing else. */
export async function changeSpans(tx: Tx, many: readonly SpanChanges[]): Promise<void> {
  const onlyAdding = many.filter(({ changes }) => changes.every(({ is }) => is === 'added'))
  await addSpans(
    tx,
    onlyAdding.flatMap(({ subscriptionId, changes }) =>
      changes.flatMap((change) => (change.is === 'added' ? [{ subscriptionId, ...change }] : [])),
    ),
  )
  for (const one of many) if (!onlyAdding.includes(one)) await changeInOrder(tx, one)
}

async function changeInOrder(tx: Tx, { subscriptionId, changes }: SpanChanges): Promise<void> {
  for (const change of changes) {
    if (change.is === 'cut') await cut(tx, subscriptionId, change.at)
    else if (change.is === 'freed') await free(tx, subscriptionId, change.invoiceId)
    else await addSpans(tx, [{ subscriptionId, ...change }])
  }
}

type Added = Extract<SpanChange, { is: 'added' }> & { readonly subscriptionId: Id<'subscription'> }

async function addSpans(tx: Tx, spans: readonly Added[]): Promise<void> {
  if (spans.length === 0) return
  const records = spans.map(({ subscriptionId, kind, startAt, endAt, invoiceId }) => ({
    subscription_id: uuidOf(subscriptionId),
    ...{ kind, start_at: startAt, end_at: endAt, invoice_id: uuidOrNull(invoiceId) },
  }))
  await sql`
    insert into billing_spans (workspace_id, subscription_id, during, kind, invoice_id)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, subscription_id, tstzrange(start_at, end_at, '[)'), kind, invoice_id
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
      as made (subscription_id uuid, kind text, start_at timestamptz, end_at timestamptz, invoice_id uuid)`.execute(
    tx.db,
  )
}

/** Nothing lies behind `at` any more. */
async function cut(tx: Tx, subscriptionId: Id<'subscription'>, at: Date): Promise<void> {
  const own = sql`workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscription_id = ${uuidOf(subscriptionId)}`
  await sql`delete from billing_spans where ${own} and during && tstzrange(${at}::timestamptz, null)
    and lower(during) >= ${at}::timestamptz`.execute(tx.db)
  await sql`update billing_spans set during = tstzrange(lower(during), ${at}::timestamptz, '[)')
    where ${own} and during @> ${at}::timestamptz`.execute(tx.db)
}

async function free(tx: Tx, subscriptionId: Id<'subscription'>, invoiceId: Id<'invoice'>): Promise<void> {
  await sql`
    delete from billing_spans
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscription_id = ${uuidOf(subscriptionId)}
      and invoice_id = ${uuidOf(invoiceId)}`.execute(tx.db)
}
