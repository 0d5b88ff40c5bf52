/**
 * A message as seen by a worker, with the ways to acknowledge it. No acknowledgement waits for a
 * confirmation.
 */
import { type Msg, nanos } from '@nats-io/transport-node'

export type Message = {
  readonly subject: string
  /** How often the message was delivered, including this time. */
  readonly deliveries: number
  /** Done: the engine deletes the message. */
  ack(): void
  /** Not done: redeliver after this time. */
  nak(afterMs?: number): void
  /** In progress: restarts the redelivery timeout. */
  working(): void
  /** Never redeliver. */
  term(): void
}

export function toMessage(raw: Msg): Message {
  const respond = (word: string) => {
    raw.respond(word)
  }
  return {
    subject: raw.subject,
    deliveries: deliveriesOf(raw.reply ?? ''),
    ack: () => respond('+ACK'),
    nak: (afterMs = 0) => respond(afterMs > 0 ? `-NAK {"delay":${nanos(Math.ceil(afterMs))}}` : '-NAK'),
    working: () => respond('+WPI'),
    term: () => respond('+TERM'),
  }
}

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>…`; newer servers have two more tokens before the stream. Has no side
 * effects.
 */
export function deliveriesOf(reply: string): number {
  const tokens = reply.split('.')
  const deliveries = Number(tokens.length > 9 ? tokens[6] : tokens[4])
  return Number.isInteger(deliveries) && deliveries > 0 ? deliveries : 1
}
