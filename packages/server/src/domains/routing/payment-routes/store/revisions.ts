/** Revisions and publications of routes. Rows never change: the database role may not update them. */
import { sql } from 'kysely'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { accountsOf, actionsOf, type Definition, type Revision } from '../payment-route.ts'

type NewRevision = {
  readonly number: number
  readonly definition: Definition
  readonly copyOf: number | null
}

export async function insertRevision(
  tx: Tx,
  route: Id<'payment_route'>,
  revision: NewRevision,
): Promise<void> {
  const { workspaceId, tokenId, personId } = tx.caller
  await tx.db
    .insertInto('payment_route_revisions')
    .values({
      workspace_id: uuidOf(workspaceId),
      id: uuidOf(tx.newId('payment_route_revision')),
      payment_route_id: uuidOf(route),
      number: revision.number,
      definition: JSON.stringify(revision.definition),
      provider_account_ids: accountUuids(tx.caller.mode, revision.definition),
      copy_of: revision.copyOf,
      author_id: uuidOrNull(tokenId),
      person_id: uuidOrNull(personId),
      created_at: tx.now,
    })
    .execute()
}

/** A draft may contain invalid account ids; the linter reports them. */
function accountUuids(mode: Mode, definition: Definition): string[] {
  const ids = new Set(actionsOf(definition).flatMap(accountsOf))
  return [...ids].flatMap((id) => uuidFromText('provider_account', mode, id) ?? [])
}

export async function insertPublication(tx: Tx, route: Id<'payment_route'>, revision: number): Promise<void> {
  const { workspaceId, tokenId, personId } = tx.caller
  await tx.db
    .insertInto('payment_route_publications')
    .values({
      workspace_id: uuidOf(workspaceId),
      payment_route_id: uuidOf(route),
      revision,
      author_id: uuidOrNull(tokenId),
      person_id: uuidOrNull(personId),
      published_at: tx.now,
    })
    .execute()
}

type RevisionRow = {
  readonly id: string
  readonly payment_route_id: string
  readonly number: number
  readonly definition: unknown
  readonly copy_of: number | null
  readonly author_id: string | null
  readonly person_id: string | null
  readonly created_at: Date
  readonly published_at: Date | null
}

const publishedAt = sql`(
  select published_at from payment_route_publications as publication
  where publication.workspace_id = revision.workspace_id
    and publication.payment_route_id = revision.payment_route_id
    and publication.revision = revision.number) as published_at`

const columns = sql`id, payment_route_id, number, definition, copy_of, author_id, person_id, created_at, ${publishedAt}`

/** Null if the route has no such revision. */
export async function findRevision(
  view: View,
  route: Id<'payment_route'>,
  number: number,
): Promise<Revision | null> {
  const { rows } = await sql<RevisionRow>`
    select ${columns} from payment_route_revisions as revision
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and payment_route_id = ${uuidOf(route)}
      and number = ${number}`.execute(view.db)
  return rows[0] === undefined ? null : fromRow(view.caller.mode, rows[0])
}

/**
 * The maximum size of a page. A definition can be up to 256 KB, and a page of a hundred such definitions would
 * block the process for half a second.
 */
const pageBytes = 400_000

export async function listRevisions(view: View, route: Id<'payment_route'>, range: IdRange) {
  const { rows } = await sql<RevisionRow & { readonly is_followed: true | null }>`
    select * from (
      select *, lead(true) over () as is_followed,
        sum(octet_length(definition::text)) over (rows unbounded preceding exclude current row) as bytes_before
      from (
        select ${columns} from payment_route_revisions as revision
        where workspace_id = ${uuidOf(view.caller.workspaceId)} and payment_route_id = ${uuidOf(route)}
          ${keysetOf(range)}) as page) as sized
    where bytes_before is null or bytes_before < ${pageBytes}`.execute(view.db)
  const page = pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
  return { ...page, hasMore: rows[Math.min(rows.length, range.limit) - 1]?.is_followed === true }
}

type RouteRevisions = {
  readonly id: Id<'payment_route'>
  readonly revision: number | null
  readonly latestRevision: number
}

/**
 * The definition of each route: the published one, else the newest draft. Routes beyond the size limit of a
 * page are omitted.
 */
export async function definitionsOf(
  view: View,
  routes: readonly RouteRevisions[],
): Promise<ReadonlyMap<Id<'payment_route'>, Definition>> {
  const { rows } = await sql<{ payment_route_id: string; definition: Definition }>`
    select payment_route_id, definition from (
      select revision.payment_route_id, revision.definition,
        sum(octet_length(definition::text))
          over (order by list_index rows unbounded preceding exclude current row) as bytes_before
      from unnest(${routes.map(({ id }) => uuidOf(id))}::uuid[],
        ${routes.map((route) => route.revision ?? route.latestRevision)}::int[])
        with ordinality as requested (id, number, list_index)
      join payment_route_revisions as revision
        on revision.payment_route_id = requested.id and revision.number = requested.number
      where revision.workspace_id = ${uuidOf(view.caller.workspaceId)}) as sized
    where bytes_before is null or bytes_before < ${pageBytes}`.execute(view.db)
  return new Map(
    rows.map(({ payment_route_id: uuid, definition }) => [
      idFromUuid('payment_route', view.caller.mode, uuid),
      definition,
    ]),
  )
}

function fromRow(mode: Mode, row: RevisionRow): Revision {
  return {
    id: idFromUuid('payment_route_revision', mode, row.id),
    paymentRouteId: idFromUuid('payment_route', mode, row.payment_route_id),
    number: row.number,
    definition: row.definition as Definition,
    copyOf: row.copy_of,
    apiTokenId: idOrNull('api_token', mode, row.author_id),
    // People belong to the organization, so their ids have no mode.
    personId: idOrNull('person', 'live', row.person_id),
    createdAt: row.created_at,
    publishedAt: row.published_at,
  }
}
