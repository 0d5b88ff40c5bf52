/**
 * Each search reads one range of an index, within the workspace. Names are found by the beginnings of their
 * words, which triggers write to `search_terms` (migration 0110).
 */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { type Hit, type HitRow, hitText } from './hit.ts'
import type { CardSearch, IdRange, SearchableKind } from './query.ts'

export const maxHits = 20

type Source = { readonly table: string; readonly columns: string; readonly only?: string }

const cardColumns = `card ->> 'brand' as brand, card ->> 'last4' as last4`

/** The table of each kind, and the columns for its title and detail. Deleted objects are not found. */
// biome-ignore format: a table.
const sources: { readonly [K in SearchableKind]: Source } = {
  customer:         { table: 'customers', columns: 'id, name, email', only: 'deleted_at is null' },
  payment:          { table: 'payments', columns: `id, amount, currency, status, order_reference, ${cardColumns}` },
  refund:           { table: 'refunds', columns: 'id, amount, currency, status' },
  payment_method:   { table: 'payment_methods', columns: `id, status, ${cardColumns}` },
  subscription:     { table: 'subscriptions', columns: 'id, status, description' },
  invoice:          { table: 'invoices', columns: 'id, number, total as amount, currency, status' },
  payment_link:     { table: 'payment_links', columns: 'id, description, amount, currency, status' },
  checkout_session: { table: 'checkout_sessions', columns: `id, amount, currency, status, payer ->> 'name' as name, payer ->> 'email' as email` },
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

export function findByIds(view: View, { kind, from, to }: IdRange): Promise<readonly Hit[]> {
  return find(view, kind, sql`id >= ${from}::uuid and id <= ${to}::uuid`)
}

/** Kinds that have names. Checkout sessions are found by the name and email address of their payer. */
const namedKinds = ['customer', 'product', 'checkout_session'] as const

/** More words than this are ignored. */
const maxWords = 8

/**
 * The maximum number of index entries that a search reads for each kind. For a text with more matches, such
 * as a single letter, the newest of the entries that were read are returned.
 */
const maxTermsRead = 5000

/**
 * Each word of the text must be the beginning of a word of the name, in any order. An email address
 * is one word.
 */
export async function findByName(view: View, text: string): Promise<readonly Hit[]> {
  const searchedTerms = text.includes('@')
    ? sql`search_terms_of(null, ${text})`
    : sql`search_terms_in(${text})`
  const { rows } = await sql<{ term: string }>`
    select term from unnest(${searchedTerms}) as term order by length(term) desc limit ${maxWords}`.execute(
    view.db,
  )
  const terms = rows.map(({ term }) => term)
  if (terms.length === 0) return []
  const hits = await Promise.all(namedKinds.map((kind) => find(view, kind, hasTerms(view, kind, terms))))
  return hits.flat()
}

/**
 * The first word, which is the longest, selects objects with the index. The others are checked for each
 * object.
 */
function hasTerms(
  view: View,
  kind: SearchableKind,
  [first = '', ...others]: readonly string[],
): RawBuilder<unknown> {
  const terms = sql`search_terms where workspace_id = ${uuidOf(view.caller.workspaceId)} and kind = ${kind}`
  const startsWith = (term: string) => sql`term >= ${term} and term < ${`${term}\u{10FFFF}`}`
  const hasOther = others.map(
    (term) => sql`and exists (select from ${terms} and object_id = candidate.id and ${startsWith(term)})`,
  )
  return sql`id in (
    select candidate.id from (
      select object_id as id from ${terms} and ${startsWith(first)} limit ${maxTermsRead}
    ) as candidate
    where true ${sql.join(hasOther, sql` `)}
    order by candidate.id desc limit ${maxHits})`
}

/** A reference of an operation that is derived from an idempotency key. */
const derivedPattern = /^R[0-9A-HJKMNP-TV-Z]{25}-\d{1,4}$/i

/** Finds objects by order number, invoice number, provider reference or derived reference. */
export async function findByReference(view: View, reference: string): Promise<readonly Hit[]> {
  const workspace = uuidOf(view.caller.workspaceId)
  // The provider reference belongs to an operation of the payment or of its refund.
  const operationColumn = (column: 'payment_id' | 'refund_id') => sql`
    select ${sql.ref(column)} from operations where workspace_id = ${workspace} and provider_reference = ${reference}`
  const hits = await Promise.all([
    find(view, 'payment', sql`order_reference = ${reference}`),
    derivedPattern.test(reference)
      ? find(
          view,
          'payment',
          sql`id in (select payment_id from operation_references
            where workspace_id = ${workspace} and reference = ${reference.toUpperCase()})`,
        )
      : [],
    find(view, 'invoice', sql`number = ${reference.toUpperCase()}`),
    find(
      view,
      'payment',
      sql`id in (${operationColumn('payment_id')} and refund_id is null limit ${maxHits})`,
    ),
    find(
      view,
      'refund',
      sql`id in (${operationColumn('refund_id')} limit ${maxHits}) and payment_id in (${operationColumn('payment_id')} limit ${maxHits})`,
    ),
    find(view, 'refund', sql`provider_reference = ${reference} and source = 'provider'`),
  ])
  return hits.flat()
}

/** Finds payments with a final status and payments with an unknown outcome, which have separate indexes. */
export async function findByCard(view: View, { last4, amounts }: CardSearch): Promise<readonly Hit[]> {
  const hasCard = sql`card_last4 = ${last4}`
  const conditions =
    amounts === null
      ? [hasCard]
      : [...amounts].map(
          ([amount, currencies]) =>
            sql`${hasCard} and amount = ${amount} and currency = any(${currencies}::text[])`,
        )
  const hits = await Promise.all(
    conditions.flatMap((condition) => [
      find(view, 'payment', sql`${condition} and unresolved_since_at is not null`),
      find(view, 'payment', sql`${condition} and status <> 'processing'`),
    ]),
  )
  return hits.flat().toSorted(newestFirst)
}

// Ids are ordered by time.
const newestFirst = (a: Hit, b: Hit) => (a.id < b.id ? 1 : -1)

async function find(
  view: View,
  kind: SearchableKind,
  condition: RawBuilder<unknown>,
): Promise<readonly Hit[]> {
  const { table, columns, only = 'true' } = sources[kind]
  const { workspaceId, mode } = view.caller
  const { rows } = await sql<HitRow>`
    select ${sql.raw(columns)} from ${sql.table(table)}
    where workspace_id = ${uuidOf(workspaceId)} and ${sql.raw(only)} and ${condition}
    order by id desc limit ${maxHits}`.execute(view.db)
  return rows.map((row) => ({ kind, id: idFromUuid(kind, mode, row.id), ...hitText[kind](row) }))
}
