// A proxy in front of PostgreSQL that closes connections at a chosen step, or drops the response to a COMMIT, so that the
// client cannot know the outcome. It parses just enough of the protocol to recognize a COMMIT.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type FaultProxy = {
  /** The URL of the database behind the proxy. */
  url(databaseUrl: string): string
  /** The next COMMIT reaches Postgres, but the connection is closed instead of returning the response. */
  dropNextCommitResponse(): void
  /** The same for the next COMMIT that is sent together with this text. Then all connections are cut and refused. */
  becomeUnreachableAfterCommitOf(text: string): void
  /** From now on drops all bytes without closing connections, as when a machine loses power. */
  swallow(): void
  /** New connections work again, but earlier connections stay blocked. */
  heal(): void
  /** New connections lead to this port; null: they are closed immediately. Earlier connections stay where they are. */
  redirect(port: number | null): void
  /** Closes all connections, as a load balancer does when it takes a server out. */
  cut(): void
  /**
   * Closes the connection that transfers the message with this number, counted over all connections from now on and in
   * both directions, instead of forwarding it. The returned function ends the wait for that message, and returns whether the
   * connection was closed.
   */
  cutAtMessage(number: number, how: 'end' | 'reset'): () => boolean
  readonly droppedCount: () => number
  close(): void
}

const commit = Buffer.from('commit\0')
const committed = Buffer.from('COMMIT\0')

export async function startFaultProxy(port: number): Promise<FaultProxy> {
  /** The text that the statements before the next dropped COMMIT contain; null if no COMMIT is dropped. */
  let droppedCommit: string | null = null
  let isUnreachableAfterDrop = false
  let dropsEverything = false
  let droppedResponses = 0
  let target: number | null = port
  const cuts = createCuts()
  const sockets = new Set<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const dropResponse = (client: Socket) => {
    client.destroy()
    if (!isUnreachableAfterDrop) return
    target = null
    cut()
  }
  const planDrop = (text: string, isUnreachableThen: boolean) => {
    droppedCommit = text
    isUnreachableAfterDrop = isUnreachableThen
  }
  const server = createServer((client) => {
    if (target === null) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    let closesOnResponse = false
    let isBlocked = dropsEverything
    const checkBlocked = () => {
      isBlocked ||= dropsEverything
      return isBlocked
    }
    client.on('data', (bytes) => {
      if (checkBlocked() || cuts.takesPlaceAt(client)) return
      if (droppedCommit !== null && bytes.includes(commit) && bytes.includes(droppedCommit)) {
        droppedCommit = null
        closesOnResponse = true
        droppedResponses += 1
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (checkBlocked() || cuts.takesPlaceAt(client)) return
      // Statements before the commit are answered first. If the connection were closed then, Postgres could roll back.
      if (closesOnResponse && bytes.includes(committed)) dropResponse(client)
      else client.write(bytes)
    })
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  return {
    url: (databaseUrl) =>
      Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href,
    dropNextCommitResponse: () => planDrop('', false),
    becomeUnreachableAfterCommitOf: (text) => planDrop(text, true),
    swallow: () => {
      dropsEverything = true
    },
    heal: () => {
      dropsEverything = false
    },
    redirect: (newTarget) => {
      target = newTarget
    },
    cut,
    cutAtMessage: cuts.plan,
    droppedCount: () => droppedResponses,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Counts messages until the one at which a connection is closed. */
function createCuts() {
  let planned: { messagesLeft: number; readonly how: 'end' | 'reset' } | null = null
  return {
    plan(number: number, how: 'end' | 'reset'): () => boolean {
      const cut = { messagesLeft: number, how }
      planned = cut
      return () => {
        if (planned === cut) planned = null
        return cut.messagesLeft === 0
      }
    },
    /** Whether the connection was closed instead of forwarding this message. */
    takesPlaceAt(client: Socket): boolean {
      if (planned === null) return false
      planned.messagesLeft -= 1
      if (planned.messagesLeft > 0) return false
      if (planned.how === 'reset') client.resetAndDestroy()
      else client.destroy()
      planned = null
      return true
    },
  }
}
