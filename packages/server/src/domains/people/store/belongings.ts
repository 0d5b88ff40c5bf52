/** What goes with a person: the passkeys that open for them, and the invitations that they sent. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'

/** All of them. They are told by their ids, so that each can be written down. */
export async function deletePasskeysOf(db: Db, personId: Id<'person'>): Promise<Id<'passkey'>[]> {
  const { rows } = await sql<{ id: string }>`
    delete from control.passkeys where person_id = ${uuidOf(personId)} returning id`.execute(db)
  return rows.map(({ id }) => idFromUuid('passkey', 'live', id))
}

/** Those of the person that nobody has accepted yet. */
export async function revokeInvitationsBy(
  db: Db,
  personId: Id<'person'>,
  now: Date,
): Promise<Id<'invitation'>[]> {
  const { rows } = await sql<{ id: string }>`
    update control.invitations set status = 'revoked', updated_at = ${now}
    where invited_by = ${uuidOf(personId)} and status = 'pending' returning id`.execute(db)
  return rows.map(({ id }) => idFromUuid('invitation', 'live', id))
}
