/** The workspace that the address names, its API, and what the person who looks at it may do there. */
import type { Switchyard } from '@switchyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { Role, Session, Workspace } from '../session/doors.ts'
import { clientOf } from './client.ts'

type Here = {
  readonly workspace: Workspace
  readonly session: Session
  readonly api: Switchyard
}

const Context = createContext<Here | null>(null)

export function WorkspaceProvider(props: { session: Session; workspace: Workspace; children: ReactNode }) {
  const { session, workspace } = props
  return <Context value={{ session, workspace, api: clientOf(workspace) }}>{props.children}</Context>
}

export function useHere(): Here {
  const here = useContext(Context)
  if (here === null) throw new Error('This part of the page belongs into a workspace.')
  return here
}

export function useApi(): Switchyard {
  return useHere().api
}

/** Asks what the caller may do. The server refuses the rest whatever a page shows. */
function useAllowed(): ReadonlySet<string> | null {
  const { workspace, api } = useHere()
  const { data } = useQuery({
    queryKey: [workspace.id, 'me'],
    queryFn: ({ signal }) => api.me.get({ signal }),
    staleTime: 30_000,
    select: ({ allowed_operations }) => new Set(allowed_operations),
  })
  return data ?? null
}

/** Null if the person may call it; else the sentence that says why not. */
export type Refused = string | null

/** `useMay()('refunds.create')`. While nobody knows yet, nothing is refused: the server has the last word. */
export function useMay(): (operation: string, reason?: string) => Refused {
  const allowed = useAllowed()
  const { role } = useHere().session.person
  return (operation, reason) =>
    allowed === null || allowed.has(operation) ? null : (reason ?? reasonFor(role))
}

/** For what a page reads by itself: as long as nobody knows whether it may, it does not ask. */
export function useIsAllowed(): (operation: string) => boolean {
  const allowed = useAllowed()
  return (operation) => allowed?.has(operation) ?? false
}

function reasonFor(role: Role): string {
  return `Your role, ${role}, may not do this. An admin can change it in Settings, People.`
}
