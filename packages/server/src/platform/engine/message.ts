/** A message as a worker sees it, and the words with which it answers. No answer waits for a receipt. */
import { type Msg, nanos } from '@nats-io/transport-node'

export type Message = {
  readonly subject: string
  /** How often the engine has handed it out, this time included. */
  readonly deliveries: number
  /** Done: the engine forgets it. */
  ack(): void
  /** Not done: hand it out again after this time. */
  nak(afterMs?: number): void
  /** Still at it: the time until it is handed out again starts anew. */
  working(): void
  /** Never hand it out again. */
  term(): void
}

export function toMessage(raw: Msg): Message {
  const answer = (word: string) => {
    raw.respond(word)
  }
  return {
    subject: raw.subject,
    deliveries: deliveriesOf(raw.reply ?? ''),
    ack: () => answer('+ACK'),
    nak: (afterMs = 0) => answer(afterMs > 0 ? `-NAK {"delay":${nanos(Math.ceil(afterMs))}}` : '-NAK'),
    working: () => answer('+WPI'),
    term: () => answer('+TERM'),
  }
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>…`, with two more names before the stream in newer servers. Pure. */
export function deliveriesOf(reply: string): number {
  const names = reply.split('.')
  const deliveries = Number(names.length > 9 ? names[6] : names[4])
  return Number.isInteger(deliveries) && deliveries > 0 ? deliveries : 1
}
