/**
 * What a call proves about its operation. Pure, and in one place, because a mistake here charges twice: "not
 * sent" and "refused" let another provider try, so they are said only of the first call of an operation, and
 * only where nobody can have acted on it.
 */
import type { Money } from '../kernel/money.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { Fault, Found, HttpReply } from './contract.ts'

/** Only the core can say this: no byte of the request has left. */
export type NotSent = { readonly is: 'not_sent'; readonly fault: Fault }
type Unknown = Extract<Found, { is: 'unknown' }>

export type Heard = { readonly is: 'answer'; readonly reply: HttpReply } | Unknown | NotSent

/** What the provider is asked to read. What never is an answer does not come before it. */
export function heardIn(reply: OutboundReply): Heard {
  if (reply.is === 'failed') {
    const fault = { code: reply.cause, message: reply.detail }
    return { is: reply.mayHaveBeenSent ? 'unknown' : 'not_sent', fault }
  }
  const { status, headers, body } = reply
  if (reply.cut) return unknown('answer_too_long', 'There was more of the answer than is read.')
  // Whoever follows it sends the request to somebody else, card number and all.
  if (status >= 300 && status < 400) return unknown('redirected', `The answer was a redirect (${status}).`)
  return { is: 'answer', reply: { status, headers, body } }
}

export function unknown(code: string, message: string): Unknown {
  return { is: 'unknown', fault: { code, message } }
}

export function notSent(code: string, message: string): NotSent {
  return { is: 'not_sent', fault: { code, message } }
}

/**
 * For every call but the first of an operation: an earlier one may have succeeded, so that this one did not
 * leave, or was put away, says nothing about it.
 */
export function asRepeat(outcome: Found | NotSent): Found {
  if (outcome.is === 'not_sent') return { is: 'unknown', fault: outcome.fault }
  if (outcome.is === 'rejected' && outcome.thisCallOnly) return { is: 'unknown', fault: outcome.fault }
  return outcome
}

/** Whether they say that they moved something else than we asked for. */
export function differsFrom(asked: Money, outcome: Found | NotSent): boolean {
  if (outcome.is !== 'succeeded') return false
  return outcome.money.amount !== asked.amount || outcome.money.currency !== asked.currency
}
