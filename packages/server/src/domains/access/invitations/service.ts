/**
 * Invitations. Everyone except the first person joins an organization by invitation. The link of an
 * invitation works once, within seven days.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { changeControl } from '../../../platform/db/control.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { type AuditedTx, recordControlAct, transactInControl } from '../audit/service/outbox.ts'
import { getWorkspace } from '../organizations/service.ts'
import { findByEmail } from '../people/service/credentials.ts'
import {
  createPerson,
  type Person,
  requireCreator,
  requireOrganization,
  requireStillAdmin,
} from '../people/service.ts'
import { generateSecret, hashSecret } from '../sessions/service.ts'
import { type Invitation, statusAt } from './invitation.ts'
import type { CreateInvitation, InvitationAtTime } from './schema.ts'
import * as store from './store.ts'

export type { Invitation } from './invitation.ts'

const linkValiditySeconds = 7 * 24 * 60 * 60

export async function createInvitation(deps: Deps, caller: Caller, input: CreateInvitation) {
  const organizationId = await requireOrganization(deps, caller)
  const existing = await findByEmail(deps, input.email)
  if (existing?.person.organizationId === organizationId) refuse('email_taken')
  const secret = generateSecret()
  return transactInControl(deps, caller, async (tx) => {
    await requireStillAdmin(tx, organizationId)
    const invitedBy = await requireCreator(tx)
    const invitation: Invitation = {
      id: tx.newId('invitation'),
      organizationId,
      email: input.email.toLowerCase(),
      role: input.role,
      status: 'pending',
      invitedBy,
      personId: null,
      expiresAt: addSeconds(tx.now, linkValiditySeconds),
      createdAt: tx.now,
      updatedAt: tx.now,
    }
    await store.revokePending(tx.db, invitation, tx.now)
    if (!(await store.insertInvitation(tx.db, invitation, hashSecret(secret)))) refuse('conflict')
    const { id: objectId, role } = invitation
    recordControlAct(tx, 'invitation.created', { objectId, details: { role } })
    // The secret is in the fragment, which browsers do not send, so that no server logs it.
    return { invitation, now: tx.now, url: `${deps.dashboardUrl()}/join#${secret}` }
  })
}

export async function listInvitations(deps: Deps, caller: Caller, range: IdRange) {
  const { organizationId } = await getWorkspace(deps, caller)
  return changeControl(deps, async (db, now) => {
    const page = await store.listInvitationsOf(db, organizationId, range)
    return { ...page, rows: page.rows.map((invitation): InvitationAtTime => ({ invitation, now })) }
  })
}

/** Revoking again has no effect. An accepted invitation cannot be revoked. */
export async function revokeInvitation(deps: Deps, caller: Caller, id: string): Promise<InvitationAtTime> {
  const organizationId = await requireOrganization(deps, caller)
  return transactInControl(deps, caller, async (tx) => {
    const before = (await store.lockInvitation(tx.db, organizationId, id)) ?? refuse('not_found')
    if (before.status === 'revoked') return { invitation: before, now: tx.now }
    if (before.status === 'accepted') refuse('invalid_state', alreadyAccepted)
    const changes = { status: 'revoked', personId: null, now: tx.now } as const
    const invitation = await store.updateInvitation(tx.db, before.id, changes)
    recordControlAct(tx, 'invitation.revoked', { objectId: invitation.id })
    return { invitation, now: tx.now }
  })
}

const alreadyAccepted = {
  detail: 'The invitation was already accepted. Deactivate the person instead.',
  current_status: 'accepted',
  allowed_actions: [],
}

/** Returns null if the invitation cannot be accepted now. */
export function findPendingInvitation(deps: Deps, secret: string): Promise<Invitation | null> {
  return changeControl(deps, async (db, now) => {
    const invitation = await store.findByHash(db, hashSecret(secret))
    return invitation !== null && statusAt(invitation, now) === 'pending' ? invitation : null
  })
}

/** Creates the invited person. Only one of several concurrent requests with the same link succeeds. */
export async function acceptInvitation(
  tx: AuditedTx,
  secret: string,
  input: { readonly name: string; readonly passwordHash: string },
): Promise<Person> {
  const before = await store.lockByHash(tx.db, hashSecret(secret))
  if (before === null || statusAt(before, tx.now) !== 'pending') return refuse('not_found')
  const { organizationId, email, role } = before
  const person = await createPerson(tx, { organizationId, email, role, ...input })
  const changes = { status: 'accepted', personId: person.id, now: tx.now } as const
  await store.updateInvitation(tx.db, before.id, changes)
  recordControlAct(tx, 'invitation.accepted', {
    objectId: before.id,
    details: { person_id: person.id },
  })
  return person
}
