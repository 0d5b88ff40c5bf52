/** Each search is one range of one index, inside the workspace. Nothing is looked for inside of texts. */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, uuidOf } from '../../kernel/id.ts'
import type { View } from '../../platform/db/unit-of-work.ts'
import { type Hit, type HitRow, wordsFor } from './hit.ts'
import type { CardAndAmount, FoundKind, IdStretch } from './query.ts'

/** So many are answered, however many there are. */
export const mostHits = 20

type Source = { readonly table: string; readonly columns: string; readonly only?: string }

const shownCard = `card ->> 'brand' as brand, card ->> 'last4' as last4`

/** Where a kind lies, and what of it is shown. What was deleted is not there. */
// biome-ignore format: a table.
const sources: { readonly [K in FoundKind]: Source } = {
  customer:         { table: 'customers', columns: 'id, name, email', only: 'deleted_at is null' },
  payment:          { table: 'payments', columns: `id, amount, currency, status, order_reference, ${shownCard}` },
  refund:           { table: 'refunds', columns: 'id, amount, currency, status' },
  payment_method:   { table: 'payment_methods', columns: `id, status, ${shownCard}` },
  subscription:     { table: 'subscriptions', columns: 'id, status, description' },
  invoice:          { table: 'invoices', columns: 'id, number, total as amount, currency, status' },
  payment_link:     { table: 'payment_links', columns: 'id, description, amount, currency, status' },
  checkout_session: { table: 'checkout_sessions', columns: 'id, amount, currency, status' },
  product:          { table: 'products', columns: 'id, name, active', only: 'deleted_at is null' },
  price:            { table: 'prices', columns: 'id, nickname, lookup_key, currency, active', only: 'deleted_at is null' },
  payment_route:    { table: 'payment_routes', columns: 'id, status', only: 'deleted_at is null' },
  provider_account: { table: 'provider_accounts', columns: 'id, display_name, provider, status' },
  webhook_endpoint: { table: 'webhook_endpoints', columns: 'id, name, url, status', only: 'deleted_at is null' },
  delivery:         { table: 'deliveries', columns: 'id, event_type, state', only: `state <> 'deleted'` },
  event:            { table: 'events', columns: 'id, type, created_at' },
  request:          { table: 'request_log', columns: 'id, method, path, status, error_code' },
  dunning_campaign: { table: 'dunning_campaigns', columns: 'id, status' },
  dunning_policy:   { table: 'dunning_policies', columns: 'id, name' },
  test_clock:       { table: 'test_clocks', columns: 'id, name, status', only: 'deleted_at is null' },
}

export function findByIds(view: View, { kind, from, to }: IdStretch): Promise<readonly Hit[]> {
  return find(view, kind, sql`id >= ${from}::uuid and id <= ${to}::uuid`)
}

export function findByEmail(view: View, email: string): Promise<readonly Hit[]> {
  return find(view, 'customer', sql`email_key = lower(${email})`)
}

export async function findByWord(view: View, word: string): Promise<readonly Hit[]> {
  const workspace = uuidOf(view.caller.workspaceId)
  // What the provider calls it: an operation of the payment, or of its refund.
  const operation = (what: 'payment_id' | 'refund_id') => sql`
    select ${sql.ref(what)} from operations where workspace_id = ${workspace} and provider_reference = ${word}`
  const found = await Promise.all([
    find(view, 'payment', sql`order_reference = ${word}`),
    find(view, 'invoice', sql`number = ${word.toUpperCase()}`),
    find(view, 'payment', sql`id in (${operation('payment_id')} and refund_id is null limit ${mostHits})`),
    find(
      view,
      'refund',
      sql`id in (${operation('refund_id')} limit ${mostHits}) and payment_id in (${operation('payment_id')} limit ${mostHits})`,
    ),
    find(view, 'refund', sql`provider_reference = ${word} and source = 'provider'`),
  ])
  return found.flat()
}

/** Payments that are decided, and those of which it is not known what became of them. */
export async function findByCard(view: View, { last4, amounts }: CardAndAmount): Promise<readonly Hit[]> {
  const found = await Promise.all(
    [...amounts].flatMap(([amount, currencies]) => {
      const same = sql`card_last4 = ${last4} and amount = ${amount} and currency = any(${currencies}::text[])`
      return [
        find(view, 'payment', sql`${same} and unresolved_since_at is not null`),
        find(view, 'payment', sql`${same} and status <> 'processing'`),
      ]
    }),
  )
  return found.flat()
}

/** The newest first. */
async function find(view: View, kind: FoundKind, condition: RawBuilder<unknown>): Promise<readonly Hit[]> {
  const { table, columns, only = 'true' } = sources[kind]
  const { workspaceId, mode } = view.caller
  const { rows } = await sql<HitRow>`
    select ${sql.raw(columns)} from ${sql.table(table)}
    where workspace_id = ${uuidOf(workspaceId)} and ${sql.raw(only)} and ${condition}
    order by id desc limit ${mostHits}`.execute(view.db)
  return rows.map((row) => ({ kind, id: idFromUuid(kind, mode, row.id), ...wordsFor[kind](row) }))
}
