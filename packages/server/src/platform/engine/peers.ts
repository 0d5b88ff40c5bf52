/**
 * How many processes serve the API at the moment. Each says so every two seconds on a core subject, and
 * counts whom it hears: they share the rate limits between them, and nobody has to write anything down.
 * Without NATS a process is alone: limits are then per process, which is too generous, never too strict.
 */
import { randomUUID } from 'node:crypto'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Connection } from './connection.ts'

const subject = 'switchyard.api.alive'
const sayEveryMs = 2_000
/** Whoever was silent for so long is gone. */
const forgetAfterMs = 3 * sayEveryMs
const maxPeers = 10_000

export type Peers = { count(): number; stop(): void }

export function watchPeers(connection: Connection): Peers {
  const me = randomUUID()
  const heard = new Map<string, number>()
  const say = () => connection.line()?.nats.publish(subject, me)
  let listeningOn: unknown = null
  const listen = () => {
    const nats = connection.line()?.nats
    // The client takes its subscriptions along when it reconnects; a new client has none.
    if (nats === undefined || nats === listeningOn) return
    listeningOn = nats
    nats.subscribe(subject, {
      callback(_, message) {
        // Beyond a sane number of processes somebody else is talking on our subject.
        if (heard.size < maxPeers) heard.set(message.string(), monotonicMs())
      },
    })
    say()
  }
  const stopListening = connection.onConnected(listen)
  listen()
  const timer = setInterval(say, sayEveryMs)
  timer.unref()

  return {
    count() {
      const oldest = monotonicMs() - forgetAfterMs
      for (const [id, atMs] of heard) if (atMs < oldest) heard.delete(id)
      return Math.max(1, heard.size)
    },
    stop() {
      clearInterval(timer)
      stopListening()
    },
  }
}
