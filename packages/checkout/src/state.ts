/**
 * Which page is shown for what the server said. The server holds the truth: the same answer gives the same page
 * after a reload, in a second tab and on the way back from the bank.
 */

import type { PublicLink, PublicSession, Sale } from './doors.ts'
import type { Faults } from './form.ts'

export type Notice =
  | 'not_found'
  | 'expired'
  | 'completed'
  | 'inactive'
  | 'no_tries'
  | 'reopen'
  | 'unreachable'

/** What stands above the form after a try that did not succeed. */
export type Message =
  | { readonly is: 'declined'; readonly advice: string }
  | { readonly is: 'offline' | 'unsent' | 'lost' | 'limit' | 'busy' }
  | { readonly is: 'faults'; readonly faults: Faults }

export type Form = {
  readonly is: 'form'
  readonly sale: Sale
  readonly message: Message | null
  readonly isSending: boolean
}
export type Waiting = {
  readonly is: 'waiting'
  readonly sale: Sale
  /** `lost`: the connection broke while we were paying, and the server has not been asked since. */
  readonly for: 'processing' | 'bank' | 'unknown' | 'lost'
  readonly bankUrl: string | null
  readonly amount: number | null
}
export type Receipt = {
  readonly is: 'receipt'
  readonly session: PublicSession
  readonly canPayAgain: boolean
}
export type State =
  | { readonly is: 'loading' }
  | { readonly is: 'notice'; readonly notice: Notice; readonly sale: Sale | null }
  | Form
  | Waiting
  | Receipt

export function stateOf(session: PublicSession, link: PublicLink | null): State {
  switch (session.status) {
    case 'completed':
      return { is: 'receipt', session, canPayAgain: link?.status === 'active' }
    case 'processing':
      return waitingFor(session)
    case 'open':
      return form(link ?? session, declineOf(session))
    case 'expired':
      return { is: 'notice', notice: session.tries_left === 0 ? 'no_tries' : 'expired', sale: session }
  }
}

export function stateOfLink(link: PublicLink): State {
  return link.status === 'active' ? form(link, null) : { is: 'notice', notice: link.status, sale: link }
}

export function form(sale: Sale, message: Message | null): Form {
  return { is: 'form', sale, message, isSending: false }
}

/** Whether the payer waits for an outcome. */
export function isUnderWay(state: State): boolean {
  return state.is === 'waiting' || (state.is === 'form' && state.isSending)
}

/** What the page is about; null while that is not known. */
export function saleOf(state: State): Sale | null {
  if (state.is === 'receipt') return state.session
  return state.is === 'loading' ? null : state.sale
}

function waitingFor(session: PublicSession): Waiting {
  const { payment, amount } = session
  const bankUrl = payment?.next_action?.url ?? null
  const known = payment?.unknown === true ? 'unknown' : 'processing'
  return { is: 'waiting', sale: session, for: bankUrl === null ? known : 'bank', bankUrl, amount }
}

function declineOf({ payment }: PublicSession): Message | null {
  return payment?.failure == null ? null : { is: 'declined', advice: payment.failure.advice_code }
}
