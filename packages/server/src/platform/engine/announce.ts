/**
 * Notifies watchers of a workspace, in this process and in others, that there are new events. The
 * notification carries nothing else. It uses a core NATS subject, without acknowledgement or persistence. A
 * lost notification only causes a delay, because watchers also poll; without NATS a process still notifies
 * itself.
 */
import type { Subscription } from '@nats-io/transport-node'
import type { Id } from '../../kernel/id.ts'
import type { Connection } from './connection.ts'

export type Announcements = {
  /** Call this after a commit. It never throws and never blocks. */
  announce(workspaceId: Id<'workspace'>): void
  /** Calls the listener when the workspace has new events, until the returned function is called. */
  listen(workspaceId: Id<'workspace'>, listener: () => void): () => void
}

type WatchedWorkspace = { readonly listeners: Set<() => void>; subscription: Subscription | null }

export function createAnnouncements(connection: Connection): Announcements {
  const watched = new Map<Id<'workspace'>, WatchedWorkspace>()
  const notifyListeners = (workspaceId: Id<'workspace'>) => {
    for (const listener of watched.get(workspaceId)?.listeners ?? []) listener()
  }
  const subscribe = (workspaceId: Id<'workspace'>): Subscription | null => {
    const callback = () => notifyListeners(workspaceId)
    return connection.live()?.nats.subscribe(subjectOf(workspaceId), { callback }) ?? null
  }
  // The client keeps its subscriptions when it reconnects; a new client has none.
  connection.onConnected(() => {
    for (const [workspaceId, workspace] of watched) {
      const { subscription } = workspace
      if (subscription === null || subscription.isClosed()) workspace.subscription = subscribe(workspaceId)
      // Notifications may have been missed while disconnected.
      notifyListeners(workspaceId)
    }
  })

  return {
    announce(workspaceId) {
      const nats = connection.live()?.nats
      // Published messages are also received by this process.
      if (nats === undefined || nats.isClosed() || nats.isDraining()) notifyListeners(workspaceId)
      else nats.publish(subjectOf(workspaceId))
    },
    listen(workspaceId, listener) {
      const workspace = watched.get(workspaceId) ?? {
        listeners: new Set(),
        subscription: subscribe(workspaceId),
      }
      watched.set(workspaceId, workspace)
      workspace.listeners.add(listener)
      return () => {
        workspace.listeners.delete(listener)
        if (workspace.listeners.size > 0) return
        watched.delete(workspaceId)
        workspace.subscription?.unsubscribe()
      }
    },
  }
}

function subjectOf(workspaceId: Id<'workspace'>): string {
  return `switchyard.events.${workspaceId}`
}
