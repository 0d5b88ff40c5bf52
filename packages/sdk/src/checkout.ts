/** Payment links and checkout sessions: pages of ours on which somebody pays, or the parts for one of yours. */
import { type List, pages } from './list.ts'
import { part } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentLinksOf(send: Send) {
  const path = '/payment-links'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** `url` is the address for the payer. One can pay by it, within 30 days, unless it says otherwise. */
    create: (body: api.CreatePaymentLink, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path, body, options }),
    /** All payment links. */
    list: (query?: api.ListPaymentLinks, options?: CallOptions): List<api.PaymentLink> =>
      pages(send, path, query, options),
    /** One link, with how often it was paid by. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Not what is to be paid. Members that are not sent stay as they are, null clears. */
    update: (
      id: string,
      body: api.UpdatePaymentLink,
      options?: UpdateOptions,
    ): Promise<Answered<api.PaymentLink>> => send({ method: 'PUT', path: at(id), body, options }),
    /** Nobody can begin to pay by it any more. */
    deactivate: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path: `${at(id)}/deactivate`, options }),
    /** One can pay by it again. */
    activate: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path: `${at(id)}/activate`, options }),
  }
}

export function checkoutSessionsOf(send: Send) {
  const path = '/checkout-sessions'
  const at = (id: string) => `${path}/${part(id)}`
  const proof = (secret: string) => ({ 'checkout-secret': secret })
  return {
    /** `url` is the address for the payer, `client_secret` is for a page of yours. Both are shown once. */
    create: (
      body: api.CreateCheckoutSession,
      options?: WriteOptions,
    ): Promise<Answered<api.CheckoutSession>> => send({ method: 'POST', path, body, options }),
    /** All checkout sessions, without what was shown once. */
    list: (query?: api.ListCheckoutSessions, options?: CallOptions): List<api.CheckoutSession> =>
      pages(send, path, query, options),
    /** One session. Its `status` says whether it was paid. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.CheckoutSession>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Nobody can pay by it any more. */
    expire: (id: string, options?: WriteOptions): Promise<Answered<api.CheckoutSession>> =>
      send({ method: 'POST', path: `${at(id)}/expire`, options }),
    /** As its payer sees it. For a page, with a publishable token. */
    getPublic: (
      id: string,
      secret: string,
      options?: CallOptions,
    ): Promise<Answered<api.PublicCheckoutSession>> =>
      send({ method: 'GET', path: `${at(id)}/public`, headers: proof(secret), options }),
    /**
     * Pays. For a page, with a publishable token: one call for each press of the button. A payment that is declined
     * throws nothing: the session is `open` again, and its `payment` says why.
     */
    confirm: (
      id: string,
      secret: string,
      body: api.ConfirmPublicCheckoutSession,
      options?: WriteOptions,
    ): Promise<Answered<api.PublicCheckoutSession>> =>
      send({ method: 'POST', path: `${at(id)}/confirm`, body, headers: proof(secret), options }),
  }
}
