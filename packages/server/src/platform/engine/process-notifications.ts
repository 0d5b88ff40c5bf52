/**
 * Messages to one process, addressed by its name: an object on which that process holds a lease has changed.
 * A message is sent once and not persisted: a process that misses it finds the work in Postgres a little
 * later.
 */
import { randomUUID } from 'node:crypto'
import { type Id, type Kind, parseId, type Ref } from '../../kernel/id.ts'
import type { Connection } from './connection.ts'

export type ProcessNotifier<K extends Kind> = {
  /** The name of this process. */
  readonly processName: string
  notify(processName: string, ref: Ref<K>): void
  /** Starts receiving messages from other processes. */
  listen(onNotification: (ref: Ref<K>) => void): void
  stop(): void
}

export function createProcessNotifier<K extends Kind>(
  connection: Connection,
  topic: string,
  kind: K,
): ProcessNotifier<K> {
  const ownName = randomUUID()
  const subjectOf = (processName: string) => `switchyard.${topic}.${processName}`
  let subscribedClient: unknown = null
  let stopListening = () => {}

  return {
    processName: ownName,
    notify(processName, ref) {
      connection.live()?.nats.publish(subjectOf(processName), `${ref.workspaceId} ${ref.id}`)
    },
    listen(onNotification) {
      const listen = () => {
        const nats = connection.live()?.nats
        // The client keeps its subscriptions when it reconnects; a new client has none.
        if (nats === undefined || nats === subscribedClient) return
        subscribedClient = nats
        nats.subscribe(subjectOf(ownName), {
          callback(_, message) {
            const ref = parseNotification(kind, message.string())
            if (ref !== null) onNotification(ref)
          },
        })
      }
      stopListening = connection.onConnected(listen)
      listen()
    },
    stop: () => stopListening(),
  }
}

/** Anyone with access to NATS can publish anything, so only exactly valid messages are accepted. */
function parseNotification<K extends Kind>(kind: K, text: string): Ref<K> | null {
  const [workspaceText = '', idText = ''] = text.split(' ')
  for (const mode of ['live', 'test'] as const) {
    const workspaceId = parseId('workspace', mode, workspaceText)
    const id: Id<K> | null = parseId(kind, mode, idText)
    if (workspaceId !== null && id !== null) return { workspaceId, id }
  }
  return null
}
