/** Invitations: the only way into an organization but for its first person. A link opens once, within seven days. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { changeControl, inControl } from '../../platform/db/control.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { getWorkspace } from '../organizations/service.ts'
import { findByEmail } from '../people/service/credentials.ts'
import { createPerson, type Person, requireAdminStill, requireOrganization } from '../people/service.ts'
import { drawSecret, hashSecret } from '../sessions/service.ts'
import { type Invitation, statusAt } from './invitation.ts'
import type { CreateInvitation, Looked } from './schema.ts'
import * as store from './store.ts'

export type { Invitation } from './invitation.ts'

const lastsSeconds = 7 * 24 * 60 * 60

export async function createInvitation(deps: Deps, caller: Caller, input: CreateInvitation) {
  const organizationId = await requireOrganization(deps, caller)
  const known = await findByEmail(deps, input.email)
  if (known?.person.organizationId === organizationId) refuse('email_taken')
  const secret = drawSecret()
  return transact(deps, caller, async (tx) => {
    await requireAdminStill(tx, organizationId)
    const invitation: Invitation = {
      ...{ id: tx.newId('invitation'), organizationId },
      ...{ email: input.email.toLowerCase(), role: input.role },
      ...{ status: 'pending', invitedBy: caller.personId, personId: null },
      expiresAt: addSeconds(tx.now, lastsSeconds),
      createdAt: tx.now,
      updatedAt: tx.now,
    }
    await inControl(tx, async (db) => {
      await store.revokePending(db, invitation, tx.now)
      if (!(await store.insertInvitation(db, invitation, hashSecret(secret)))) refuse('conflict')
    })
    const { id: objectId, role } = invitation
    await recordAct(tx, 'invitation.created', { objectId, details: { role } })
    // Behind `#`: what stands there is sent to no server, and so is in nobody's log.
    return { invitation, now: tx.now, url: `${deps.dashboardUrl()}/join#${secret}` }
  })
}

export async function listInvitations(deps: Deps, caller: Caller, range: IdRange) {
  const { organizationId } = await getWorkspace(deps, caller)
  return changeControl(deps, async (db, now) => {
    const page = await store.listInvitationsOf(db, organizationId, range)
    return { ...page, rows: page.rows.map((invitation): Looked => ({ invitation, now })) }
  })
}

/** Repeating it answers the same. What was accepted is a person, and stays one. */
export async function revokeInvitation(deps: Deps, caller: Caller, id: string): Promise<Looked> {
  const organizationId = await requireOrganization(deps, caller)
  return transact(deps, caller, async (tx) => {
    const before =
      (await inControl(tx, (db) => store.lockInvitation(db, organizationId, id))) ?? refuse('not_found')
    if (before.status === 'revoked') return { invitation: before, now: tx.now }
    if (before.status === 'accepted') refuse('invalid_state', acceptedAlready)
    const changes = { status: 'revoked', personId: null, now: tx.now } as const
    const invitation = await inControl(tx, (db) => store.updateInvitation(db, before.id, changes))
    await recordAct(tx, 'invitation.revoked', { objectId: invitation.id })
    return { invitation, now: tx.now }
  })
}

const acceptedAlready = {
  detail: 'The invitation was accepted. Deactivate the person instead.',
  current_status: 'accepted',
  allowed_actions: [],
}

/** Null unless it can be accepted now. */
export function findOpenInvitation(deps: Deps, secret: string): Promise<Invitation | null> {
  return changeControl(deps, async (db, now) => {
    const invitation = await store.findByHash(db, hashSecret(secret))
    return invitation !== null && statusAt(invitation, now) === 'pending' ? invitation : null
  })
}

/** Makes the person whom the invitation is for. Of two who have the same link one does. */
export async function acceptInvitation(
  tx: Tx,
  secret: string,
  input: { readonly name: string; readonly passwordHash: string },
): Promise<Person> {
  const before = await inControl(tx, (db) => store.lockByHash(db, hashSecret(secret)))
  if (before === null || statusAt(before, tx.now) !== 'pending') return refuse('not_found')
  const { organizationId, email, role } = before
  const person = await createPerson(tx, { organizationId, email, role, ...input })
  const changes = { status: 'accepted', personId: person.id, now: tx.now } as const
  await inControl(tx, (db) => store.updateInvitation(db, before.id, changes))
  await recordAct(tx, 'invitation.accepted', { objectId: before.id, details: { person_id: person.id } })
  return person
}
