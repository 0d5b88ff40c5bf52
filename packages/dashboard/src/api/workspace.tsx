/** The workspace in the URL, its API client, and the permissions of the signed-in person. */
import type { Switchyard } from '@switchyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { Role, Session, Workspace } from '../session/session-api.ts'
import { clientOf } from './client.ts'

type WorkspaceContext = {
  readonly workspace: Workspace
  readonly session: Session
  readonly api: Switchyard
}

const Context = createContext<WorkspaceContext | null>(null)

export function WorkspaceProvider(props: { session: Session; workspace: Workspace; children: ReactNode }) {
  const { session, workspace } = props
  return <Context value={{ session, workspace, api: clientOf(workspace) }}>{props.children}</Context>
}

export function useWorkspace(): WorkspaceContext {
  const context = useContext(Context)
  if (context === null) throw new Error('useWorkspace must be called inside a WorkspaceProvider.')
  return context
}

export function useApi(): Switchyard {
  return useWorkspace().api
}

/** The operations that the signed-in person is allowed to call. The server enforces the permissions as well. */
function useAllowedOperations(): ReadonlySet<string> | null {
  const { workspace, api } = useWorkspace()
  const { data } = useQuery({
    queryKey: [workspace.id, 'me'],
    queryFn: ({ signal }) => api.me.get({ signal }),
    staleTime: 30_000,
    select: ({ allowed_operations }) => new Set(allowed_operations),
  })
  return data ?? null
}

/** Null if the person may call the operation; otherwise the reason why not. */
export type DisabledReason = string | null

/**
 * Call as `useDisabledReason()('refunds.create')`. Until the permissions are loaded, every operation counts as allowed:
 * the server enforces them anyway.
 */
export function useDisabledReason(): (operation: string, reason?: string) => DisabledReason {
  const allowed = useAllowedOperations()
  const { role } = useWorkspace().session.person
  return (operation, reason) =>
    allowed === null || allowed.has(operation) ? null : (reason ?? notAllowedText(role))
}

/** For data that a page loads automatically: false until the permissions are loaded. */
export function useIsAllowed(): (operation: string) => boolean {
  const allowed = useAllowedOperations()
  return (operation) => allowed?.has(operation) ?? false
}

function notAllowedText(role: Role): string {
  return `Your role (${role}) does not allow this. An admin can change your role under Access > People.`
}
