/** Rows of the codes with which payers prove that they receive the e-mails of a customer. */
import { sql } from 'kysely'
import { type Id, idFromUuid, idOrNull, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'

export type LoginScope = Id<'payment_link'> | Id<'checkout_session'>

type NewLoginCode = {
  readonly scopeId: LoginScope
  readonly emailHash: Buffer
  readonly networkHash: Buffer | null
  readonly expiresAt: Date
}

export async function insertLoginCode(tx: Tx, code: NewLoginCode): Promise<Id<'login_code'>> {
  const id = tx.newId('login_code')
  await deleteOld(tx)
  await tx.db
    .insertInto('login_codes')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      scope_id: uuidOf(code.scopeId),
      email_hash: code.emailHash,
      network_hash: code.networkHash,
      created_at: tx.now,
      expires_at: code.expiresAt,
    })
    .execute()
  return id
}

/** Deletes a few old codes whenever a code is created, so that they do not accumulate. */
async function deleteOld(tx: Tx): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await sql`
    delete from login_codes where workspace_id = ${workspace} and id in (
      select id from login_codes
      where workspace_id = ${workspace} and created_at < ${tx.now}::timestamptz - interval '1 hour'
      order by created_at limit 20)`.execute(tx.db)
}

type Requested = {
  readonly byEmail: number
  readonly byNetwork: number
  /** Codes of the workspace for which only wrong codes were entered. */
  readonly failed: number
}

/**
 * Counts the codes of the last hour, each up to its maximum: requested for the address, requested from the network,
 * and entered without success in the workspace. Concurrent requests for the same address or from the same network
 * wait for each other.
 */
export async function lockRequested(
  tx: Tx,
  { emailHash, networkHash }: Pick<NewLoginCode, 'emailHash' | 'networkHash'>,
  max: Requested,
): Promise<Requested> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const since = sql`${tx.now}::timestamptz - interval '1 hour'`
  const locks = [emailHash, ...(networkHash === null ? [] : [networkHash])].map((hash) =>
    hash.readBigInt64BE().toString(),
  )
  await sql`select pg_advisory_xact_lock(number) from unnest(${[...locks].sort()}::bigint[]) as number`.execute(
    tx.db,
  )
  const { rows } = await sql<{ by_email: number; by_network: number; failed: number }>`
    select cardinality(array(
        select 1 from login_codes where workspace_id = ${workspace} and email_hash = ${emailHash}
          and created_at > ${since} limit ${max.byEmail})) as by_email,
      cardinality(array(
        select 1 from login_codes where workspace_id = ${workspace} and network_hash = ${networkHash}
          and created_at > ${since} limit ${max.byNetwork})) as by_network,
      cardinality(array(
        select 1 from login_codes where workspace_id = ${workspace} and tries > 0 and verified_at is null
          and created_at > ${since} limit ${max.failed})) as failed`.execute(tx.db)
  const [row] = rows
  return { byEmail: row?.by_email ?? 0, byNetwork: row?.by_network ?? 0, failed: row?.failed ?? 0 }
}

export async function setCustomer(tx: Tx, id: Id<'login_code'>, customerId: Id<'customer'>): Promise<void> {
  await tx.db
    .updateTable('login_codes')
    .set({ customer_id: uuidOf(customerId) })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .execute()
}

/**
 * Counts an attempt, before the code is compared, so that concurrent attempts cannot exceed the limit. Undefined if
 * no attempts are left, or the code has expired, was already entered, is not the newest one of the address, or
 * belongs to another page. Null: there is no customer.
 */
export async function useTry(
  tx: Tx,
  id: Id<'login_code'>,
  scopeId: LoginScope,
): Promise<Id<'customer'> | null | undefined> {
  const { rows } = await sql<{ customer_id: string | null }>`
    update login_codes as code set tries = tries + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)} and scope_id = ${uuidOf(scopeId)}
      and tries < 5 and expires_at > ${tx.now} and verified_at is null
      and not exists (select from login_codes as newer where newer.workspace_id = code.workspace_id
        and newer.email_hash = code.email_hash and newer.created_at > code.created_at)
    returning customer_id`.execute(tx.db)
  const [row] = rows
  return row === undefined ? undefined : idOrNull('customer', tx.caller.mode, row.customer_id)
}

export async function setVerified(tx: Tx, id: Id<'login_code'>): Promise<void> {
  await tx.db
    .updateTable('login_codes')
    .set({ verified_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .execute()
}

/** The customer of a code that was entered on this page in the last hour; null if there is none. */
export async function findVerifiedCustomer(
  view: View,
  { id, scopeId, now }: { readonly id: Id<'login_code'>; readonly scopeId: LoginScope; readonly now: Date },
): Promise<Id<'customer'> | null> {
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from login_codes
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuidOf(id)} and scope_id = ${uuidOf(scopeId)}
      and verified_at is not null and created_at > ${now}::timestamptz - interval '1 hour'`.execute(view.db)
  const [row] = rows
  return row === undefined ? null : idFromUuid('customer', view.caller.mode, row.customer_id)
}
