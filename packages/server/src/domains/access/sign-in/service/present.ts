/** Converts sessions to the responses of the dashboard routes. */
import type { Mode } from '../../../../kernel/id.ts'
import type { Session } from '../../sessions/service.ts'
import { presentPasskey } from '../schema.ts'
import type { DescribedSession } from './current-session.ts'

export function presentSession(described: DescribedSession, addressOf: (mode: Mode) => string): object {
  const { session, idleExpiresAt, person, organization, workspaces, passkeys } = described
  const { id, email, name, role, hasTotp: totp_enabled } = person
  return {
    person: { id, email, name, role, totp_enabled, passkeys: passkeys.map(presentPasskey) },
    organization,
    workspaces: workspaces.map((workspace) => ({
      id: workspace.id,
      name: workspace.name,
      mode: workspace.mode,
      address: addressOf(workspace.mode),
    })),
    expires_at: session.expiresAt.toISOString(),
    idle_expires_at: idleExpiresAt.toISOString(),
  }
}

export function presentListedSession(session: Session, current: Session): object {
  return {
    id: session.id,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === current.id,
  }
}
