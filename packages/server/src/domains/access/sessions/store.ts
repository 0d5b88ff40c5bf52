import { type Selectable, sql } from 'kysely'
import type { Role } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { ControlSessions } from '../../../platform/db/tables.generated.ts'
import { type Challenge, formerSecretSeconds, type Session } from './session.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'person_id',
  'role',
  'address',
  'user_agent',
  'challenge',
  'challenge_until',
  'created_at',
  'last_seen_at',
  'expires_at',
] as const
type SessionRow = Pick<Selectable<ControlSessions>, (typeof columns)[number]>

export async function insertSession(db: Db, session: Session, hash: Buffer): Promise<void> {
  const row = {
    id: uuidOf(session.id),
    person_id: uuidOf(session.personId),
    hash,
    role: session.role,
    address: session.address,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
  }
  await db.insertInto('control.sessions').values(row).execute()
}

export async function findByHash(db: Db, hash: Buffer, now: Date): Promise<Session | null> {
  const row = await db
    .selectFrom('control.sessions')
    .select(columns)
    .where((where) =>
      where.or([
        where('hash', '=', hash),
        where.and([where('former_hash', '=', hash), where('former_until', '>', now)]),
      ]),
    )
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

export async function findById(db: Db, id: Id<'session'>): Promise<Session | null> {
  const row = await db
    .selectFrom('control.sessions')
    .select(columns)
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

export async function listSessions(db: Db, personId: Id<'person'>, limit: number): Promise<Session[]> {
  const rows = await db
    .selectFrom('control.sessions')
    .select(columns)
    .where('person_id', '=', uuidOf(personId))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}

/** Writes at most once a minute, so that most requests cause no write. Returns whether it was written. */
export async function updateLastSeen(db: Db, id: Id<'session'>, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update control.sessions set last_seen_at = ${now}
    where id = ${uuidOf(id)} and last_seen_at < ${now}::timestamptz - interval '1 minute' returning 1`.execute(
    db,
  )
  return rows.length === 1
}

/** Sets a new secret for the same session, unless a concurrent request has replaced it. */
export async function replaceSecret(
  db: Db,
  session: Session,
  { hash, role, now }: { hash: Buffer; role: Role; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update control.sessions
    set former_hash = hash, former_until = ${addSeconds(now, formerSecretSeconds)}, hash = ${hash}, role = ${role}
    where id = ${uuidOf(session.id)} and role = ${session.role} returning 1`.execute(db)
  return rows.length === 1
}

/**
 * Sets a new secret for the same session; the previous one becomes invalid. False if the session has ended.
 */
export async function setSecret(db: Db, id: Id<'session'>, hash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.sessions')
    .set({ hash, former_hash: null, former_until: null })
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function setChallenge(db: Db, id: Id<'session'>, challenge: Challenge | null): Promise<void> {
  await db
    .updateTable('control.sessions')
    .set({ challenge: challenge?.text ?? null, challenge_until: challenge?.until ?? null })
    .where('id', '=', uuidOf(id))
    .execute()
}

/** Deletes a session of the person; false if there is none. */
export async function deleteSession(db: Db, personId: Id<'person'>, id: Id<'session'>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control.sessions')
    .where('person_id', '=', uuidOf(personId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/**
 * Deletes the session of a secret, even of a replaced one: the browser may not have received the new secret.
 */
export async function deleteByHash(db: Db, hash: Buffer): Promise<void> {
  await db
    .deleteFrom('control.sessions')
    .where((where) => where.or([where('hash', '=', hash), where('former_hash', '=', hash)]))
    .execute()
}

/** Deletes all sessions of a person, except the given one. */
export async function deleteSessionsOf(
  db: Db,
  personId: Id<'person'>,
  except: Id<'session'> | null,
): Promise<void> {
  await db
    .deleteFrom('control.sessions')
    .where('person_id', '=', uuidOf(personId))
    .$if(except !== null, (query) => query.where('id', '!=', uuidOf(except as Id<'session'>)))
    .execute()
}

/** Deletes expired sessions of all people, at most 100 per call. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await sql`
    delete from control.sessions
    where id in (select id from control.sessions where expires_at <= ${now} order by expires_at limit 100)`.execute(
    db,
  )
}

function fromRow(row: SessionRow): Session {
  const { challenge: text, challenge_until: until } = row
  return {
    id: idFromUuid('session', 'live', row.id),
    personId: idFromUuid('person', 'live', row.person_id),
    role: row.role as Role,
    address: row.address,
    userAgent: row.user_agent,
    challenge: text === null || until === null ? null : { text, until },
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }
}
