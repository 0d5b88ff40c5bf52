/**
 * Wakes those who watch a workspace, in this process and in others: "there are new events", and nothing else.
 * It goes over a core subject of NATS, unconfirmed and unkept. What is not heard is only seen later, since
 * whoever watches also looks from time to time; without NATS a process still hears itself.
 */
import type { Subscription } from '@nats-io/transport-node'
import type { Id } from '../../kernel/id.ts'
import type { Connection } from './connection.ts'

export type Announcements = {
  /** After a commit. It never throws, and never makes the caller wait. */
  announce(workspaceId: Id<'workspace'>): void
  /** Calls when the workspace has something new, until the function it gives is called. */
  listen(workspaceId: Id<'workspace'>, wake: () => void): () => void
}

type Watched = { readonly wakes: Set<() => void>; subscription: Subscription | null }

export function createAnnouncements(connection: Connection): Announcements {
  const watched = new Map<Id<'workspace'>, Watched>()
  const wakeAll = (workspaceId: Id<'workspace'>) => {
    for (const wake of watched.get(workspaceId)?.wakes ?? []) wake()
  }
  const subscribe = (workspaceId: Id<'workspace'>): Subscription | null => {
    const callback = () => wakeAll(workspaceId)
    return connection.line()?.nats.subscribe(subjectOf(workspaceId), { callback }) ?? null
  }
  // The client takes its subscriptions along when it reconnects; a new client has none.
  connection.onConnected(() => {
    for (const [workspaceId, one] of watched) {
      if (one.subscription === null || one.subscription.isClosed()) one.subscription = subscribe(workspaceId)
      // Whatever was said while nobody listened.
      wakeAll(workspaceId)
    }
  })

  return {
    announce(workspaceId) {
      const nats = connection.line()?.nats
      // What is published comes back to this process as well.
      if (nats === undefined || nats.isClosed() || nats.isDraining()) wakeAll(workspaceId)
      else nats.publish(subjectOf(workspaceId))
    },
    listen(workspaceId, wake) {
      const one = watched.get(workspaceId) ?? { wakes: new Set(), subscription: subscribe(workspaceId) }
      watched.set(workspaceId, one)
      one.wakes.add(wake)
      return () => {
        one.wakes.delete(wake)
        if (one.wakes.size > 0) return
        watched.delete(workspaceId)
        one.subscription?.unsubscribe()
      }
    },
  }
}

/** The id is all it says. */
function subjectOf(workspaceId: Id<'workspace'>): string {
  return `switchyard.events.${workspaceId}`
}
