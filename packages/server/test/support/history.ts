// Payments that there were, put into the database as they would lie there: thousands are made in a moment.

import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'

export type Past = {
  readonly count: number
  /** The account that was asked first, and what became of that; without it nobody was asked. */
  readonly account?: string
  readonly status?: string
  readonly route?: string
  readonly amount?: number
  readonly currency?: string
  readonly country?: string | null
  /** Of a card that a provider holds we know no number, hence no fingerprint. */
  readonly hasNumber?: boolean
  readonly metadata?: object
  readonly secondsAgo?: number
  /** Why the first attempt was declined, and what it says of how its account was chosen. */
  readonly decline?: string
  readonly trace?: object
}

export async function putHistory(
  databaseUrl: string,
  workspaceId: string,
  pasts: readonly Past[],
): Promise<void> {
  await asOwner(databaseUrl, async (client) => {
    // Nothing tells of them, so the triggers that ask for an event sleep meanwhile.
    await client.query('set session_replication_role = replica')
    for (const past of pasts) await client.query(insertion, valuesOf(workspaceId, past))
  })
}

function valuesOf(workspaceId: string, past: Past): unknown[] {
  const { account = null, route = null, country = 'DE', hasNumber = true, secondsAgo = 60 } = past
  const card = { brand: 'visa', last4: '4242', funding: 'credit', bin: '424242', country }
  const uuid = (id: string | null) => (id === null ? null : uuidOf(id as Id<'workspace'>))
  return [
    ...[uuid(workspaceId), past.count, past.amount ?? 1299, past.currency ?? 'eur', JSON.stringify(card)],
    ...[hasNumber, uuid(account), uuid(route), JSON.stringify(past.metadata ?? {}), `-${secondsAgo} seconds`],
    ...[past.status ?? 'captured', JSON.stringify(past.trace ?? {})],
    past.decline === undefined ? null : JSON.stringify({ code: past.decline }),
  ]
}

const insertion = `
  with made as (
    select uuidv7($10::interval) as id, n from generate_series(1, $2::int) as n),
  paid as (
    insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
      three_d_secure, card, fingerprint, provider_account_id, attempts_count, metadata, payment_route_id,
      route_revision, amount_captured, created_at, updated_at)
    select $1, id, 'succeeded', 'payment', $3, $4, 'automatic', 'customer', 'auto', $5::jsonb,
      case when $6::boolean then md5(id::text) end, $7::uuid, 1, $9::jsonb, $8::uuid,
      case when $8::uuid is null then null else 1 end, $3, now(), now()
    from made returning id)
  insert into payment_attempts (workspace_id, payment_id, id, number, status, provider_account_id, trace,
    decline, created_at, updated_at)
  select $1, id, id, 1, $11, $7::uuid, $12::jsonb, $13::jsonb, now(), now() from paid where $7::uuid is not null`
