// Inserts past payments directly into the database, thousands in one statement.

import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from './owner.ts'

export type PastPayments = {
  readonly count: number
  /** The account of the first attempt. Without it, there is no attempt. */
  readonly account?: string
  readonly status?: string
  readonly route?: string
  readonly amount?: number
  readonly currency?: string
  readonly country?: string | null
  /** False for a card that is stored at a provider. Its number is unknown, so it has no fingerprint. */
  readonly hasNumber?: boolean
  readonly metadata?: object
  readonly secondsAgo?: number
  /** The decline code and the routing trace of the first attempt. */
  readonly decline?: string
  readonly trace?: object
}

export async function insertPastPayments(
  databaseUrl: string,
  workspaceId: string,
  batches: readonly PastPayments[],
): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    // Disable the triggers that require events, because these payments have none.
    await client.query('set session_replication_role = replica')
    for (const batch of batches) await client.query(insertStatement, toParameters(workspaceId, batch))
  })
}

function toParameters(workspaceId: string, batch: PastPayments): unknown[] {
  const { account = null, route = null, country = 'DE', hasNumber = true, secondsAgo = 60 } = batch
  const card = { brand: 'visa', last4: '4242', funding: 'credit', bin: '424242', country }
  const uuid = (id: string | null) => (id === null ? null : uuidOf(id as Id<'workspace'>))
  return [
    uuid(workspaceId),
    batch.count,
    batch.amount ?? 1299,
    batch.currency ?? 'eur',
    JSON.stringify(card),
    hasNumber,
    uuid(account),
    uuid(route),
    JSON.stringify(batch.metadata ?? {}),
    `-${secondsAgo} seconds`,
    batch.status ?? 'captured',
    JSON.stringify(batch.trace ?? {}),
    batch.decline === undefined ? null : JSON.stringify({ code: batch.decline }),
  ]
}

const insertStatement = `
  with new_payments as (
    select uuidv7($10::interval) as id, n from generate_series(1, $2::int) as n),
  inserted as (
    insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
      three_d_secure, card, fingerprint, provider_account_id, attempts_count, metadata, payment_route_id,
      route_revision, amount_captured, created_at, updated_at)
    select $1, id, 'succeeded', 'payment', $3, $4, 'automatic', 'customer', 'auto', $5::jsonb,
      case when $6::boolean then md5(id::text) end, $7::uuid, 1, $9::jsonb, $8::uuid,
      case when $8::uuid is null then null else 1 end, $3, now(), now()
    from new_payments returning id)
  insert into payment_attempts (workspace_id, payment_id, id, number, status, provider_account_id, trace,
    decline, created_at, updated_at)
  select $1, id, id, 1, $11, $7::uuid, $12::jsonb, $13::jsonb, now(), now() from inserted where $7::uuid is not null`
