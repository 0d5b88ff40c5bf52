/**
 * What the doctor asks about tenants: bounded, and by the roles that may see it. Ids go to whoever has the shell of
 * the installation, never to another tenant.
 */
import { sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

const atMost = 100

/** Enabled endpoints whose receiver has failed since its last success. As the role that serves them. */
export async function failingEndpoints(db: Db): Promise<readonly Id<'webhook_endpoint'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select endpoint.id, workspace.mode from webhook_lanes as lane
    join webhook_endpoints as endpoint using (workspace_id, id)
    join workspaces as workspace using (workspace_id)
    where lane.health <> 'healthy' and endpoint.status = 'enabled' and endpoint.deleted_at is null
    limit ${atMost}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('webhook_endpoint', mode, id))
}

/** Enabled endpoints that nothing signs for any more. As the role that serves them. */
export async function unsignedEndpoints(db: Db, now: Date): Promise<readonly Id<'webhook_endpoint'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select endpoint.id, workspace.mode from webhook_endpoints as endpoint
    join workspaces as workspace using (workspace_id)
    where endpoint.status = 'enabled' and endpoint.deleted_at is null and not exists (
      select from webhook_secrets as secret
      where secret.workspace_id = endpoint.workspace_id and secret.webhook_endpoint_id = endpoint.id
        and coalesce(secret.expires_at, 'infinity') > ${now})
    limit ${atMost}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('webhook_endpoint', mode, id))
}

/** Workspaces in which a token ends before then. As the role that looks for what is due. */
export async function workspacesWithEndingTokens(
  db: Db,
  now: Date,
  before: Date,
): Promise<readonly Id<'workspace'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    select distinct workspace_id as id, mode
    from (select workspace_id from api_tokens where due_at >= ${now} and due_at < ${before} order by due_at limit ${atMost})
      as token join workspaces using (workspace_id)`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('workspace', mode, id))
}

/** Tokens that end before then and were used since then. Inside their workspace. */
export async function endingTokens(
  db: Db,
  workspaceId: Id<'workspace'>,
  mode: Mode,
  { now, before, usedSince }: { readonly now: Date; readonly before: Date; readonly usedSince: Date },
): Promise<readonly Id<'api_token'>[]> {
  const { rows } = await sql<{ id: string }>`
    select id from api_tokens where workspace_id = ${uuidOf(workspaceId)} and status = 'active'
      and expires_at >= ${now} and expires_at < ${before} and last_used_at >= ${usedSince}
    limit ${atMost}`.execute(db)
  return rows.map(({ id }) => idFromUuid('api_token', mode, id))
}

/** Some workspaces, from a place that somebody drew: over many looks, all of them have their turn. */
export async function someWorkspaces(
  db: Db,
  drawn: string,
  count: number,
): Promise<readonly Id<'workspace'>[]> {
  const { rows } = await sql<{ id: string; mode: Mode }>`
    (select workspace_id as id, mode from workspaces where workspace_id >= ${drawn}::uuid order by 1 limit ${count})
    union all
    (select workspace_id as id, mode from workspaces where workspace_id < ${drawn}::uuid order by 1 limit ${count})
    limit ${count}`.execute(db)
  return rows.map(({ id, mode }) => idFromUuid('workspace', mode, id))
}

export type BookFacts = {
  readonly looked: number
  /** Payments whose refunds do not add up to what they say is refunded. */
  readonly unbalanced: readonly Id<'payment'>[]
  /** Payments with more changes than events, or fewer. */
  readonly untold: readonly Id<'payment'>[]
}

/** The newest payments of a workspace, younger than what is kept of events. Inside that workspace. */
export async function bookFacts(
  db: Db,
  workspaceId: Id<'workspace'>,
  mode: Mode,
  { now, count }: { readonly now: Date; readonly count: number },
): Promise<BookFacts> {
  const { rows } = await sql<{ id: string; balanced: boolean; told: boolean }>`
    select payment.id,
      amount_refunded = coalesce(refund.succeeded, 0) and amount_refunding = coalesce(refund.pending, 0) as balanced,
      event.told = payment.sequence and event.last = payment.sequence as told
    from (select * from payments where workspace_id = ${uuidOf(workspaceId)}
        and id >= uuid_floor(${now}::timestamptz - interval '60 days') order by id desc limit ${count}) as payment
    left join lateral (
      select sum(amount) filter (where status = 'succeeded') as succeeded,
        sum(amount) filter (where status = 'pending') as pending
      from refunds where workspace_id = payment.workspace_id and payment_id = payment.id) as refund on true
    left join lateral (
      select count(distinct sequence) as told, max(sequence) as last
      from events where workspace_id = payment.workspace_id and object_id = payment.id
        and id >= uuid_floor(${now}::timestamptz - interval '61 days')) as event on true`.execute(db)
  const idsOf = (fits: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(fits).map(({ id }) => idFromUuid('payment', mode, id))
  return {
    looked: rows.length,
    unbalanced: idsOf(({ balanced }) => !balanced),
    untold: idsOf(({ told }) => !told),
  }
}
