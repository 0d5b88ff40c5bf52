/**
 * How many processes currently serve the API. Each announces itself every two seconds on a core NATS subject
 * and counts the others. They divide the rate limits by this number, and nothing is stored. Without NATS a
 * process counts only itself: limits are then per process, which is too generous but never too strict.
 */
import { randomUUID } from 'node:crypto'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Connection } from './connection.ts'

const subject = 'switchyard.api.alive'
const announceIntervalMs = 2_000
/** A process that was silent for this long is considered gone. */
const peerTimeoutMs = 3 * announceIntervalMs
const maxPeers = 10_000

export type Peers = { count(): number; stop(): void }

export function watchPeers(connection: Connection): Peers {
  const processId = randomUUID()
  const lastSeenMs = new Map<string, number>()
  const announce = () => connection.live()?.nats.publish(subject, processId)
  let subscribedClient: unknown = null
  const listen = () => {
    const nats = connection.live()?.nats
    // The client keeps its subscriptions when it reconnects; a new client has none.
    if (nats === undefined || nats === subscribedClient) return
    subscribedClient = nats
    nats.subscribe(subject, {
      callback(_, message) {
        // More processes than this are implausible: another system is publishing on our subject.
        if (lastSeenMs.size < maxPeers) lastSeenMs.set(message.string(), monotonicMs())
      },
    })
    announce()
  }
  const stopListening = connection.onConnected(listen)
  listen()
  const timer = setInterval(announce, announceIntervalMs)
  timer.unref()

  return {
    count() {
      const oldestMs = monotonicMs() - peerTimeoutMs
      for (const [id, seenMs] of lastSeenMs) if (seenMs < oldestMs) lastSeenMs.delete(id)
      return Math.max(1, lastSeenMs.size)
    },
    stop() {
      clearInterval(timer)
      stopListening()
    },
  }
}
