import { type Selectable, sql } from 'kysely'
import type { Role } from '../../../kernel/caller.ts'
import { type Id, idFromUuid, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { ControlPeople } from '../../../platform/db/tables.generated.ts'
import type { Credentials, Person, SealedTotp, Status } from './person.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'organization_id',
  'email',
  'name',
  'role',
  'status',
  'totp_confirmed_at',
  'last_seen_at',
  'created_at',
  'updated_at',
] as const
const credentialColumns = ['password_hash', 'totp_secret', 'totp_workspace_id'] as const
type PersonRow = Pick<Selectable<ControlPeople>, (typeof columns)[number]>
type SecretRow = Pick<Selectable<ControlPeople>, (typeof credentialColumns)[number] | 'totp_confirmed_at'>

/** Returns false if the email address is already in use. */
export async function insertPerson(db: Db, person: Person, passwordHash: string): Promise<boolean> {
  const row = {
    id: uuidOf(person.id),
    organization_id: uuidOf(person.organizationId),
    email: person.email,
    name: person.name,
    role: person.role,
    status: person.status,
    password_hash: passwordHash,
    created_at: person.createdAt,
    updated_at: person.updatedAt,
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('control.people')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export async function listPeopleOf(db: Db, organizationId: Id<'organization'>, range: IdRange) {
  const { rows } = await sql<PersonRow>`
    select ${sql.join(columns.map((name) => sql.ref(name)))} from control.people
    where organization_id = ${uuidOf(organizationId)} ${keysetOf(range)}`.execute(db)
  return pageOf(rows.map(fromRow), range)
}

export async function findPerson(db: Db, id: Id<'person'>): Promise<Person | null> {
  const row = await db
    .selectFrom('control.people')
    .select(columns)
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

export type PersonWithCredentials = { readonly person: Person; readonly credentials: Credentials }

export async function findByEmail(db: Db, email: string): Promise<PersonWithCredentials | null> {
  const row = await db
    .selectFrom('control.people')
    .select([...columns, ...credentialColumns])
    .where('email', '=', email)
    .executeTakeFirst()
  return row === undefined ? null : { person: fromRow(row), credentials: toCredentials(row) }
}

export async function readCredentials(db: Db, id: Id<'person'>): Promise<Credentials> {
  const row = await db
    .selectFrom('control.people')
    .select([...credentialColumns, 'totp_confirmed_at'])
    .where('id', '=', uuidOf(id))
    .executeTakeFirstOrThrow()
  return toCredentials(row)
}

/** Locks a person with their credentials until the transaction ends. */
export async function lockWithCredentials(db: Db, id: Id<'person'>): Promise<PersonWithCredentials> {
  const row = await db
    .selectFrom('control.people')
    .select([...columns, ...credentialColumns])
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { person: fromRow(row), credentials: toCredentials(row) }
}

/** Locks a person of the organization; null if there is no such person. */
export async function lockPerson(
  db: Db,
  organizationId: Id<'organization'>,
  text: string,
): Promise<Person | null> {
  const uuid = uuidFromText('person', 'live', text)
  if (uuid === null) return null
  const row = await db
    .selectFrom('control.people')
    .select(columns)
    .where('id', '=', uuid)
    .where('organization_id', '=', uuidOf(organizationId))
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/**
 * Locks all ADMINs in a fixed order. A concurrent transaction waits, and then does not find ADMINs that the
 * first one demoted, so two concurrent changes cannot remove the last ADMIN.
 */
export async function lockAdmins(db: Db, organizationId: Id<'organization'>): Promise<Id<'person'>[]> {
  const rows = await db
    .selectFrom('control.people')
    .select('id')
    .where('organization_id', '=', uuidOf(organizationId))
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'active')
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id }) => idFromUuid('person', 'live', id))
}

export async function updatePerson(
  db: Db,
  id: Id<'person'>,
  changes: {
    readonly name?: string | null
    readonly role?: Role
    readonly status?: Status
    readonly now: Date
  },
): Promise<Person> {
  const { now, ...members } = changes
  const row = await db
    .updateTable('control.people')
    .set({ ...members, updated_at: now })
    .where('id', '=', uuidOf(id))
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(row)
}

export async function updatePassword(db: Db, id: Id<'person'>, hash: string, now: Date): Promise<void> {
  await db
    .updateTable('control.people')
    .set({ password_hash: hash, updated_at: now })
    .where('id', '=', uuidOf(id))
    .execute()
}

export async function recordLastSeen(db: Db, id: Id<'person'>, now: Date): Promise<void> {
  await db.updateTable('control.people').set({ last_seen_at: now }).where('id', '=', uuidOf(id)).execute()
}

/** A new secret replaces an unconfirmed one. Returns false if there is a confirmed one. */
export async function storeTotp(
  db: Db,
  id: Id<'person'>,
  { sealed, workspaceId }: Pick<SealedTotp, 'sealed' | 'workspaceId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.people')
    .set({ totp_secret: sealed, totp_workspace_id: uuidOf(workspaceId), totp_step: null })
    .where('id', '=', uuidOf(id))
    .where('totp_confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function clearTotp(db: Db, id: Id<'person'>): Promise<void> {
  await db
    .updateTable('control.people')
    .set({ totp_secret: null, totp_workspace_id: null, totp_confirmed_at: null, totp_step: null })
    .where('id', '=', uuidOf(id))
    .execute()
}

/** Returns false if this is not the stored secret, or it was confirmed before. */
export async function confirmTotp(db: Db, id: Id<'person'>, sealed: Buffer, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.people')
    .set({ totp_confirmed_at: now })
    .where('id', '=', uuidOf(id))
    .where('totp_secret', '=', sealed)
    .where('totp_confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Marks a time step as used, if neither it nor a later one was used before. Only one of two concurrent calls
 * succeeds.
 */
export async function markStepUsed(db: Db, id: Id<'person'>, step: number): Promise<boolean> {
  const { rows } = await sql`
    update control.people set totp_step = ${step}
    where id = ${uuidOf(id)} and (totp_step is null or totp_step < ${step}) returning 1`.execute(db)
  return rows.length === 1
}

function toCredentials(row: SecretRow): Credentials {
  const { totp_secret: sealed, totp_workspace_id: uuid } = row
  return {
    passwordHash: row.password_hash,
    totp:
      sealed === null || uuid === null
        ? null
        : {
            sealed,
            // The mode does not matter: decryption uses only the uuid of the workspace.
            workspaceId: idFromUuid('workspace', 'live', uuid),
            isConfirmed: row.totp_confirmed_at !== null,
          },
  }
}

function fromRow(row: PersonRow): Person {
  return {
    id: idFromUuid('person', 'live', row.id),
    organizationId: idFromUuid('organization', 'live', row.organization_id),
    email: row.email,
    name: row.name,
    role: row.role as Role,
    status: row.status as Status,
    hasTotp: row.totp_confirmed_at !== null,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
