/** Payment links and checkout sessions: hosted payment pages, or the API for a page of your own. */
import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentLinksOf(send: Send) {
  const path = '/payment-links'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /**
     * Creates a payment link; send its `url` to the payer. By default it accepts one payment and expires in 30 days.
     */
    create: (body: api.CreatePaymentLink, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists payment links. */
    list: (query?: api.ListPaymentLinks, options?: CallOptions): List<api.PaymentLink> =>
      paginatedList(send, path, query, options),
    /** Retrieves a payment link, with the number of its completed payments. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. The amount cannot be changed. */
    update: (
      id: string,
      body: api.UpdatePaymentLink,
      options?: UpdateOptions,
    ): Promise<Answered<api.PaymentLink>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Stops new payments with this link. */
    deactivate: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path: `${pathOf(id)}/deactivate`, options }),
    /** Allows payments with this link again. */
    activate: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentLink>> =>
      send({ method: 'POST', path: `${pathOf(id)}/activate`, options }),
  }
}

export function checkoutSessionsOf(send: Send) {
  const path = '/checkout-sessions'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  const secretHeader = (secret: string) => ({ 'checkout-secret': secret })
  return {
    /** `url` is the hosted page; `client_secret` is for a page of your own. Both are only in this response. */
    create: (
      body: api.CreateCheckoutSession,
      options?: WriteOptions,
    ): Promise<Answered<api.CheckoutSession>> => send({ method: 'POST', path, body, options }),
    /** Lists checkout sessions, without `url` and `client_secret`. */
    list: (query?: api.ListCheckoutSessions, options?: CallOptions): List<api.CheckoutSession> =>
      paginatedList(send, path, query, options),
    /** Retrieves a checkout session. Its `status` says whether it was paid. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.CheckoutSession>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Expires the session, so that it can no longer be paid. */
    expire: (id: string, options?: WriteOptions): Promise<Answered<api.CheckoutSession>> =>
      send({ method: 'POST', path: `${pathOf(id)}/expire`, options }),
    /** Retrieves the session as its payer sees it. For browsers, with a publishable token. */
    getPublic: (
      id: string,
      secret: string,
      options?: CallOptions,
    ): Promise<Answered<api.PublicCheckoutSession>> =>
      send({ method: 'GET', path: `${pathOf(id)}/public`, headers: secretHeader(secret), options }),
    /**
     * Pays the session. For browsers, with a publishable token: make one call per click of the pay button. A declined
     * payment does not throw: the session is `open` again, and its `payment` says why.
     */
    confirm: (
      id: string,
      secret: string,
      body: api.ConfirmPublicCheckoutSession,
      options?: WriteOptions,
    ): Promise<Answered<api.PublicCheckoutSession>> =>
      send({ method: 'POST', path: `${pathOf(id)}/confirm`, body, headers: secretHeader(secret), options }),
  }
}

export function portalSessionsOf(send: Send) {
  return {
    /** Creates a session of the customer portal, valid for 30 minutes. Redirect the customer to its `url`. */
    create: (body: api.CreatePortalSession, options?: WriteOptions): Promise<Answered<api.PortalSession>> =>
      send({ method: 'POST', path: '/portal-sessions', body, options }),
  }
}

export function cancellationRequestsOf(send: Send) {
  const path = '/cancellation-requests'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists the cancellations and withdrawals that subscribers submitted on the public page. */
    list: (query?: api.ListCancellationRequests, options?: CallOptions): List<api.CancellationRequest> =>
      paginatedList(send, path, query, options),
    /** Retrieves a cancellation request. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.CancellationRequest>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Cancels the subscription and completes the request. */
    accept: (
      id: string,
      body: api.AcceptCancellationRequest = {},
      options?: WriteOptions,
    ): Promise<Answered<api.CancellationRequest>> =>
      send({ method: 'POST', path: `${pathOf(id)}/accept`, body, options }),
    /** Closes the request without changing a subscription. */
    reject: (
      id: string,
      body: api.RejectCancellationRequest = {},
      options?: WriteOptions,
    ): Promise<Answered<api.CancellationRequest>> =>
      send({ method: 'POST', path: `${pathOf(id)}/reject`, body, options }),
  }
}

export function portalConfigurationOf(send: Send) {
  const path = '/portal-configuration'
  return {
    /** Retrieves what customers can see and change in the portal. */
    get: (options?: CallOptions): Promise<Answered<api.PortalConfiguration>> =>
      send({ method: 'GET', path, options }),
    /** Omitted members stay unchanged. */
    update: (
      body: api.UpdatePortalConfiguration,
      options?: WriteOptions,
    ): Promise<Answered<api.PortalConfiguration>> => send({ method: 'PUT', path, body, options }),
  }
}

export function mailsOf(send: Send) {
  const path = '/mails'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists e-mails, optionally to one customer. */
    list: (query?: api.ListMails, options?: CallOptions): List<api.Mail> =>
      paginatedList(send, path, query, options),
    /** Retrieves an e-mail with its content. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.MailWithContent>> =>
      send({ method: 'GET', path: pathOf(id), options }),
  }
}

export function mailSettingsOf(send: Send) {
  const path = '/mail-settings'
  return {
    /** Retrieves the e-mail settings of the workspace. */
    get: (options?: CallOptions): Promise<Answered<api.MailSettings>> =>
      send({ method: 'GET', path, options }),
    /** Updates the e-mail settings. Omitted fields are unchanged. */
    update: (body: api.UpdateMailSetting, options?: WriteOptions): Promise<Answered<api.MailSettings>> =>
      send({ method: 'PUT', path, body, options }),
    /** Renders an e-mail with example values. Nothing is sent. */
    preview: (body: api.PreviewMailSetting, options?: WriteOptions): Promise<Answered<api.MailPreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
  }
}
