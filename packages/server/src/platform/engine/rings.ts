/**
 * Word from one process to another, by name: something changed for an object that you hold. Sent once and not
 * kept: whoever misses one finds the work in Postgres a little later.
 */
import { randomUUID } from 'node:crypto'
import { type Id, type Kind, parseId, type Ref } from '../../kernel/id.ts'
import type { Connection } from './connection.ts'

export type Rings<K extends Kind> = {
  /** The name of this process. */
  readonly me: string
  ring(who: string, ref: Ref<K>): void
  /** From now on hears what others ring. */
  listen(onRing: (ref: Ref<K>) => void): void
  stop(): void
}

export function createRings<K extends Kind>(connection: Connection, topic: string, kind: K): Rings<K> {
  const me = randomUUID()
  const subjectOf = (who: string) => `switchyard.${topic}.${who}`
  let listeningOn: unknown = null
  let stopListening = () => {}

  return {
    me,
    ring(who, ref) {
      connection.line()?.nats.publish(subjectOf(who), `${ref.workspaceId} ${ref.id}`)
    },
    listen(onRing) {
      const listen = () => {
        const nats = connection.line()?.nats
        // The client takes its subscriptions along when it reconnects; a new client has none.
        if (nats === undefined || nats === listeningOn) return
        listeningOn = nats
        nats.subscribe(subjectOf(me), {
          callback(_, message) {
            const ref = parseRing(kind, message.string())
            if (ref !== null) onRing(ref)
          },
        })
      }
      stopListening = connection.onConnected(listen)
      listen()
    },
    stop: () => stopListening(),
  }
}

/** Anybody with access to the engine may publish anything; what is not written as we write it is not read. */
function parseRing<K extends Kind>(kind: K, text: string): Ref<K> | null {
  const [workspaceText = '', idText = ''] = text.split(' ')
  for (const mode of ['live', 'test'] as const) {
    const workspaceId = parseId('workspace', mode, workspaceText)
    const id: Id<K> | null = parseId(kind, mode, idText)
    if (workspaceId !== null && id !== null) return { workspaceId, id }
  }
  return null
}
