/**
 * Queries of the doctor about tenants. They are bounded, and run with the roles that may see the data. Ids
 * are shown only to operators with shell access, never to another tenant.
 */
import { sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

const maxRows = 100

/** Enabled endpoints that have failed since their last success. Runs in the delivery role. */
export async function failingEndpoints(db: Db): Promise<readonly Id<'webhook_endpoint'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select endpoint.id, workspace.mode from webhook_lanes as lane
    join webhook_endpoints as endpoint using (workspace_id, id)
    join workspaces as workspace using (workspace_id)
    where lane.health <> 'healthy' and endpoint.status = 'enabled' and endpoint.deleted_at is null
    limit ${maxRows}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('webhook_endpoint', mode, id))
}

/** Enabled endpoints without a valid signing secret. Runs in the delivery role. */
export async function unsignedEndpoints(db: Db, now: Date): Promise<readonly Id<'webhook_endpoint'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select endpoint.id, workspace.mode from webhook_endpoints as endpoint
    join workspaces as workspace using (workspace_id)
    where endpoint.status = 'enabled' and endpoint.deleted_at is null and not exists (
      select from webhook_secrets as secret
      where secret.workspace_id = endpoint.workspace_id and secret.webhook_endpoint_id = endpoint.id
        and coalesce(secret.expires_at, 'infinity') > ${now})
    limit ${maxRows}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('webhook_endpoint', mode, id))
}

/** Workspaces with a token that expires before `before`. Runs in the `switchyard_due` role. */
export async function workspacesWithExpiringTokens(
  db: Db,
  now: Date,
  before: Date,
): Promise<readonly Id<'workspace'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select distinct workspace_id as id, mode
    from (select workspace_id from api_tokens where due_at >= ${now} and due_at < ${before} order by due_at limit ${maxRows})
      as token join workspaces using (workspace_id)`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('workspace', mode, id))
}

/** Tokens that expire before `before` and were used since `usedSince`. Runs inside their workspace. */
export async function expiringTokens(
  db: Db,
  workspaceId: Id<'workspace'>,
  mode: Mode,
  { now, before, usedSince }: { readonly now: Date; readonly before: Date; readonly usedSince: Date },
): Promise<readonly Id<'api_token'>[]> {
  const { rows } = await sql<{ id: string }>`
    select id from api_tokens where workspace_id = ${uuidOf(workspaceId)} and status = 'active'
      and expires_at >= ${now} and expires_at < ${before} and last_used_at >= ${usedSince}
    limit ${maxRows}`.execute(db)
  return rows.map(({ id }) => idFromUuid('api_token', mode, id))
}

/** A sample of workspaces from a random starting point. Repeated checks eventually cover all of them. */
export async function sampleWorkspaces(
  db: Db,
  start: string,
  count: number,
): Promise<readonly Id<'workspace'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    (select workspace_id as id, mode from workspaces where workspace_id >= ${start}::uuid order by 1 limit ${count})
    union all
    (select workspace_id as id, mode from workspaces where workspace_id < ${start}::uuid order by 1 limit ${count})
    limit ${count}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('workspace', mode, id))
}

export type PaymentRecordFacts = {
  readonly checked: number
  /** Payments whose refunds do not add up to their refunded amount. */
  readonly unbalanced: readonly Id<'payment'>[]
  /** Payments whose number of changes differs from their number of events. */
  readonly withoutEvent: readonly Id<'payment'>[]
}

/** Checks the newest payments of a workspace that are within event retention. Runs inside that workspace. */
export async function paymentRecordFacts(
  db: Db,
  workspaceId: Id<'workspace'>,
  mode: Mode,
  { now, count }: { readonly now: Date; readonly count: number },
): Promise<PaymentRecordFacts> {
  const { rows } = await sql<{ id: string; balanced: boolean; matchesEvents: boolean }>`
    select payment.id,
      amount_refunded = coalesce(refund.succeeded, 0) and amount_refunding = coalesce(refund.pending, 0) as balanced,
      event.count = payment.sequence and event.last = payment.sequence as "matchesEvents"
    from (select * from payments where workspace_id = ${uuidOf(workspaceId)}
        and id >= uuid_floor(${now}::timestamptz - interval '60 days') order by id desc limit ${count}) as payment
    left join lateral (
      select sum(amount) filter (where status = 'succeeded') as succeeded,
        sum(amount) filter (where status = 'pending') as pending
      from refunds where workspace_id = payment.workspace_id and payment_id = payment.id) as refund on true
    left join lateral (
      select count(distinct sequence) as count, max(sequence) as last
      from events where workspace_id = payment.workspace_id and object_id = payment.id
        and id >= uuid_floor(${now}::timestamptz - interval '61 days')) as event on true`.execute(db)
  const idsOf = (matches: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(matches).map(({ id }) => idFromUuid('payment', mode, id))
  return {
    checked: rows.length,
    unbalanced: idsOf(({ balanced }) => !balanced),
    withoutEvent: idsOf(({ matchesEvents }) => !matchesEvents),
  }
}
