/**
 * Determines what a call proves about its operation. The rules have no side effects and are all in this file,
 * because a mistake here could charge the payer twice: "not sent" and "rejected" allow a failover, so they
 * only apply to the first call of an operation, and only if the provider cannot have processed it.
 */
import type { Money } from '../kernel/money.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { DisputeFound, DisputeOutcome, Fault, FileOutcome, Found, HttpReply } from './contract.ts'

/** No byte of the request was sent. Only the core can determine this. */
export type NotSent = { readonly is: 'not_sent'; readonly fault: Fault }
type Unknown = Extract<Found, { is: 'unknown' }>

/** `rejected`: a card vault has rejected the call, and has not forwarded it. */
type Rejected = Extract<Found, { is: 'rejected' }>

export type CallResult = { readonly is: 'answer'; readonly reply: HttpReply } | Unknown | NotSent | Rejected

/** Filters out results that a provider must not interpret. */
export function resultOf(reply: OutboundReply): CallResult {
  if (reply.kind === 'failed') {
    const fault = { code: reply.cause, message: reply.detail }
    return { is: reply.mayHaveBeenSent ? 'unknown' : 'not_sent', fault }
  }
  const { status, headers, body } = reply
  if (reply.truncated) return unknown('answer_too_long', 'The response is too large.')
  // Following a redirect would send the request, including the card number, to another server.
  if (status >= 300 && status < 400) return unknown('redirected', `The response was a redirect (${status}).`)
  return { is: 'answer', reply: { status, headers, body } }
}

export function unknown(code: string, message: string): Unknown {
  return { is: 'unknown', fault: { code, message } }
}

export function notSent(code: string, message: string): NotSent {
  return { is: 'not_sent', fault: { code, message } }
}

/**
 * For every call but the first of an operation. An earlier call may have succeeded, so a call that was not sent,
 * or was rejected unprocessed, proves nothing.
 */
export function asRepeat<O extends Result>(outcome: O): Exclude<O, NotSent> | Unknown {
  const isOfThisCall = outcome.is === 'rejected' && 'thisCallOnly' in outcome && outcome.thisCallOnly
  if (outcome.is === 'not_sent' || isOfThisCall)
    return { is: 'unknown', fault: (outcome as { readonly fault: Fault }).fault }
  return outcome as Exclude<O, NotSent>
}

type Result = Found | NotSent | DisputeOutcome | DisputeFound | FileOutcome

/** Whether the provider reports an amount or currency other than the requested one. */
export function differsFrom(requested: Money, outcome: Found | NotSent): boolean {
  if (outcome.is !== 'succeeded') return false
  return outcome.money.amount !== requested.amount || outcome.money.currency !== requested.currency
}
