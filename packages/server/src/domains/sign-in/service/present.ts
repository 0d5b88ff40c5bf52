/** Sessions as the pages of the dashboard see them. */
import type { Mode } from '../../../kernel/id.ts'
import type { Session } from '../../sessions/service.ts'
import { presentPasskey } from '../schema.ts'
import type { DescribedSession } from './visits.ts'

export function presentSession(described: DescribedSession, addressOf: (mode: Mode) => string): object {
  const { session, idleEndsAt, person, organization, workspaces, passkeys } = described
  const { id, email, name, role, hasTotp: totp_enabled } = person
  return {
    person: { id, email, name, role, totp_enabled, passkeys: passkeys.map(presentPasskey) },
    organization,
    workspaces: workspaces.map((one) => ({
      ...{ id: one.id, name: one.name, mode: one.mode },
      address: addressOf(one.mode),
    })),
    expires_at: session.expiresAt.toISOString(),
    idle_expires_at: idleEndsAt.toISOString(),
  }
}

export function presentListed(session: Session, current: Session): object {
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === current.id,
  }
}
