import { type Selectable, sql } from 'kysely'
import type { Role } from '../../../kernel/caller.ts'
import { type Id, idFromUuid, idOrNull, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { ControlInvitations } from '../../../platform/db/tables.generated.ts'
import type { Invitation } from './invitation.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'organization_id',
  'email',
  'role',
  'status',
  'invited_by',
  'person_id',
  'expires_at',
  'created_at',
  'updated_at',
] as const
type InvitationRow = Pick<Selectable<ControlInvitations>, (typeof columns)[number]>

/** Returns false if another invitation for the same email address was created concurrently. */
export async function insertInvitation(db: Db, invitation: Invitation, hash: Buffer): Promise<boolean> {
  const row = {
    id: uuidOf(invitation.id),
    organization_id: uuidOf(invitation.organizationId),
    email: invitation.email,
    role: invitation.role,
    status: invitation.status,
    hash,
    invited_by: invitation.invitedBy === null ? null : uuidOf(invitation.invitedBy),
    expires_at: invitation.expiresAt,
    created_at: invitation.createdAt,
    updated_at: invitation.updatedAt,
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('control.invitations')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Revokes pending invitations for the email address: only the newest link is valid. */
export async function revokePending(db: Db, { organizationId, email }: Invitation, now: Date): Promise<void> {
  await db
    .updateTable('control.invitations')
    .set({ status: 'revoked', updated_at: now })
    .where('organization_id', '=', uuidOf(organizationId))
    .where('email', '=', email)
    .where('status', '=', 'pending')
    .execute()
}

export async function listInvitationsOf(db: Db, organizationId: Id<'organization'>, range: IdRange) {
  const { rows } = await sql<InvitationRow>`
    select ${sql.join(columns.map((name) => sql.ref(name)))} from control.invitations
    where organization_id = ${uuidOf(organizationId)} ${keysetOf(range)}`.execute(db)
  return pageOf(rows.map(fromRow), range)
}

export async function lockInvitation(
  db: Db,
  organizationId: Id<'organization'>,
  text: string,
): Promise<Invitation | null> {
  const uuid = uuidFromText('invitation', 'live', text)
  if (uuid === null) return null
  const row = await db
    .selectFrom('control.invitations')
    .select(columns)
    .where('organization_id', '=', uuidOf(organizationId))
    .where('id', '=', uuid)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

export async function findByHash(db: Db, hash: Buffer): Promise<Invitation | null> {
  const row = await byHash(db, hash).executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

export async function lockByHash(db: Db, hash: Buffer): Promise<Invitation | null> {
  const row = await byHash(db, hash).forUpdate().executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

const byHash = (db: Db, hash: Buffer) =>
  db.selectFrom('control.invitations').select(columns).where('hash', '=', hash)

export async function updateInvitation(
  db: Db,
  id: Id<'invitation'>,
  changes: Pick<Invitation, 'status' | 'personId'> & { readonly now: Date },
): Promise<Invitation> {
  const { status, personId, now } = changes
  const row = await db
    .updateTable('control.invitations')
    .set({ status, person_id: personId === null ? null : uuidOf(personId), updated_at: now })
    .where('id', '=', uuidOf(id))
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(row)
}

function fromRow(row: InvitationRow): Invitation {
  return {
    id: idFromUuid('invitation', 'live', row.id),
    organizationId: idFromUuid('organization', 'live', row.organization_id),
    email: row.email,
    role: row.role as Role,
    status: row.status as Invitation['status'],
    invitedBy: idOrNull('person', 'live', row.invited_by),
    personId: idOrNull('person', 'live', row.person_id),
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
