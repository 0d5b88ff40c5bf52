/** What a person leaves behind, taken away in the unit that decides so, and written down one by one. */
import type { Id } from '../../../kernel/id.ts'
import { inControl } from '../../../platform/db/control.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { recordAct } from '../../audit/service.ts'
import { deletePasskeysOf, revokeInvitationsBy } from '../store/belongings.ts'

/** A passkey opens without a password, so whoever may have planted one is out only when it is gone. */
export async function removePasskeysOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  const ids = await inControl(tx, (db) => deletePasskeysOf(db, personId))
  for (const id of ids)
    await recordAct(tx, 'person.passkey_removed', { objectId: personId, details: { passkey_id: id } })
}

/** Whoever may invite nobody any more must not come back by a link that they sent to themselves. */
export async function revokeInvitationsOf(tx: Tx, personId: Id<'person'>): Promise<void> {
  const ids = await inControl(tx, (db) => revokeInvitationsBy(db, personId, tx.now))
  for (const id of ids) await recordAct(tx, 'invitation.revoked', { objectId: id })
}
