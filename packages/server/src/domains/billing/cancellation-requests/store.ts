/** Rows of cancellation requests. */
import { type Selectable, sql } from 'kysely'
import { idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { CancellationRequests } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../platform/db/versioned-rows.ts'
import type {
  CancellationRequest,
  Candidate,
  RequestForm,
  RequestStatus,
  RequestType,
} from './cancellation-request.ts'

const columns = [
  'workspace_id',
  'id',
  'type',
  'status',
  'name',
  'email',
  'contract',
  'reason',
  'requested_end',
  'subscription_id',
  'customer_id',
  'note',
  'received_at',
  'confirmed_at',
  'closed_at',
  'updated_at',
  'version',
  'sequence',
] as const
type Row = Pick<Selectable<CancellationRequests>, (typeof columns)[number]>

export type Hashes = { readonly emailHash: Buffer; readonly networkHash: Buffer | null }

export async function insertRequest(
  tx: Tx,
  form: RequestForm,
  { match, hashes }: { readonly match: Candidate | null; readonly hashes: Hashes },
): Promise<CancellationRequest> {
  const row = await tx.db
    .insertInto('cancellation_requests')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('cancellation_request')),
      type: form.type,
      status: 'received',
      name: form.name,
      email: form.email,
      contract: form.contract || null,
      reason: form.reason || null,
      requested_end: form.end || null,
      subscription_id: uuidOrNull(match?.subscriptionId ?? null),
      customer_id: uuidOrNull(match?.customerId ?? null),
      email_hash: hashes.emailHash,
      network_hash: hashes.networkHash,
      received_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

type Requested = { readonly byEmail: number; readonly byNetwork: number }

/**
 * The number of cancellation requests in the last hour, up to these maximums. Concurrent transactions wait for each
 * other.
 */
export async function lockRequested(
  tx: Tx,
  { emailHash, networkHash }: Hashes,
  max: Requested,
): Promise<Requested> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const since = sql`${tx.now}::timestamptz - interval '1 hour'`
  const locks = [emailHash, ...(networkHash === null ? [] : [networkHash])]
    .map((hash) => hash.readBigInt64BE().toString())
    .sort()
  await sql`select pg_advisory_xact_lock(number) from unnest(${locks}::bigint[]) as number`.execute(tx.db)
  const { rows } = await sql<{ by_email: number; by_network: number }>`
    select cardinality(array(
        select 1 from cancellation_requests where workspace_id = ${workspace} and email_hash = ${emailHash}
          and received_at > ${since} limit ${max.byEmail})) as by_email,
      cardinality(array(
        select 1 from cancellation_requests where workspace_id = ${workspace} and network_hash = ${networkHash}
          and received_at > ${since} limit ${max.byNetwork})) as by_network`.execute(tx.db)
  const [row] = rows
  return { byEmail: row?.by_email ?? 0, byNetwork: row?.by_network ?? 0 }
}

/** The subscriptions that have not ended, of customers with this address. */
export async function findCandidates(tx: Tx, email: string, contract: string): Promise<Candidate[]> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const { rows } = await sql<{ id: string; customer_id: string; email: string; has_invoice: boolean }>`
    select subscription.id, subscription.customer_id, customers.email, exists (
        select from invoices where invoices.workspace_id = ${workspace}
          and invoices.subscription_id = subscription.id and invoices.number = ${contract}) as has_invoice
    from customers join subscriptions as subscription
      on subscription.workspace_id = customers.workspace_id and subscription.customer_id = customers.id
    where customers.workspace_id = ${workspace} and customers.email_key = lower(${email})
      and customers.deleted_at is null and subscription.status <> 'cancelled'
    order by subscription.id limit 100`.execute(tx.db)
  const { mode } = tx.caller
  return rows.map(({ id, customer_id, email: stored, has_invoice }) => ({
    subscriptionId: idFromUuid('subscription', mode, id),
    customerId: idFromUuid('customer', mode, customer_id),
    email: stored,
    hasInvoice: has_invoice,
  }))
}

type Changes = Partial<
  Pick<CancellationRequest, 'status' | 'subscriptionId' | 'note' | 'confirmedAt' | 'closedAt'>
>

const requests = versionedRows<Row, CancellationRequest>({
  table: 'cancellation_requests',
  kind: 'cancellation_request',
  name: 'cancellation request',
  columns,
  fromRow,
})
export const { find: findRequest, lock: lockRequest } = requests

/** Writes a change that emits one event. Omitted members stay unchanged. */
export function updateRequest(
  tx: Tx,
  before: CancellationRequest,
  changes: Changes,
): Promise<CancellationRequest> {
  const { status, subscriptionId, note, confirmedAt, closedAt } = { ...before, ...changes }
  return requests.update(tx, before, {
    status,
    subscription_id: uuidOrNull(subscriptionId),
    note,
    confirmed_at: confirmedAt,
    closed_at: closedAt,
  })
}

export function listRequests(view: View, range: IdRange, status: RequestStatus | undefined) {
  return listRows(view, range, {
    table: 'cancellation_requests',
    columns,
    only: status === undefined ? sql`` : sql`and status = ${status}`,
    fromRow,
  })
}

function fromRow(mode: Mode, row: Row): CancellationRequest {
  return {
    id: idFromUuid('cancellation_request', mode, row.id),
    workspaceId: idFromUuid('workspace', mode, row.workspace_id),
    type: row.type as RequestType,
    status: row.status as RequestStatus,
    name: row.name,
    email: row.email,
    contract: row.contract,
    reason: row.reason,
    requestedEnd: row.requested_end,
    subscriptionId: idOrNull('subscription', mode, row.subscription_id),
    customerId: idOrNull('customer', mode, row.customer_id),
    note: row.note,
    receivedAt: row.received_at,
    confirmedAt: row.confirmed_at,
    closedAt: row.closed_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
