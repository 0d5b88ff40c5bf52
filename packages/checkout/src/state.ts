/**
 * Maps the server's response to a view. The same response always shows the same view: after a reload, in a second
 * tab and after the return from the bank.
 */

import type { PublicLink, PublicSession, Sale } from './api.ts'
import type { FieldErrors } from './form.ts'

export type Notice =
  | 'not_found'
  | 'expired'
  | 'completed'
  | 'inactive'
  | 'no_tries'
  | 'reopen'
  | 'no_cards'
  | 'unreachable'

/** The message above the form after an attempt that did not succeed. */
export type Message =
  | { readonly kind: 'declined'; readonly advice: string }
  | { readonly kind: 'offline' | 'unsent' | 'lost' | 'limit' | 'limit_card' | 'busy' | 'card_incomplete' }
  | { readonly kind: 'field_errors'; readonly fieldErrors: FieldErrors }

export type Form = {
  readonly kind: 'form'
  readonly sale: Sale
  readonly message: Message | null
  readonly isSending: boolean
}
export type Waiting = {
  readonly kind: 'waiting'
  readonly sale: Sale
  /**
   * `lost`: the connection was lost during the payment, and its state has not been read since. `turn`: the server
   * currently limits payments and has not accepted this one yet.
   */
  readonly for: 'processing' | 'bank' | 'unknown' | 'lost' | 'turn'
  readonly bankUrl: string | null
  readonly amount: number | null
  /** The type of the payment method. Only set with `bank`. */
  readonly method?: string
  /** Only set with `turn`: the number of seconds until the payment is sent again. */
  readonly seconds?: number
}
export type Receipt = {
  readonly kind: 'receipt'
  readonly session: PublicSession
  readonly canPayAgain: boolean
}
export type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'notice'; readonly notice: Notice; readonly sale: Sale | null }
  | Form
  | Waiting
  | Receipt

export function stateOf(session: PublicSession, link: PublicLink | null): State {
  switch (session.status) {
    case 'completed':
      return { kind: 'receipt', session, canPayAgain: link?.status === 'active' }
    case 'processing':
      return waitingFor(session)
    case 'open':
      // The account of the card fields may depend on earlier payments of the session.
      return form({ ...(link ?? session), card_entry: session.card_entry }, declineOf(session))
    case 'expired':
      return { kind: 'notice', notice: session.tries_left === 0 ? 'no_tries' : 'expired', sale: session }
  }
}

export function stateOfLink(link: PublicLink): State {
  return link.status === 'active' ? form(link, null) : { kind: 'notice', notice: link.status, sale: link }
}

export function form(sale: Sale, message: Message | null): Form {
  return { kind: 'form', sale, message, isSending: false }
}

/** Whether the payer waits for an outcome. */
export function isInProgress(state: State): boolean {
  return state.kind === 'waiting' || (state.kind === 'form' && state.isSending)
}

/** The link or session; null while it is not loaded. */
export function saleOf(state: State): Sale | null {
  if (state.kind === 'receipt') return state.session
  return state.kind === 'loading' ? null : state.sale
}

function waitingFor(session: PublicSession): Waiting {
  const { payment, amount } = session
  const bankUrl = payment?.next_action?.url ?? null
  const reason = payment?.unknown === true ? 'unknown' : 'processing'
  const waiting = { kind: 'waiting', sale: session, bankUrl, amount } as const
  if (payment === null || bankUrl === null) return { ...waiting, for: reason }
  return { ...waiting, for: 'bank', method: payment.payment_method_type }
}

function declineOf({ payment }: PublicSession): Message | null {
  return payment?.failure == null ? null : { kind: 'declined', advice: payment.failure.advice_code }
}
