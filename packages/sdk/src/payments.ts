/** Payments, what they are made with and what is given back of them, as methods. */
import { type List, listOf, pages } from './list.ts'
import { part } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentMethodsOf(send: Send) {
  const path = '/payment-methods'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /**
     * Verifies the card of a token. If the payer has to act first, or the outcome is not known yet, it answers
     * the payment that verifies it: tell them apart by `object`.
     */
    create: (
      body: api.CreatePaymentMethod,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentMethod | api.Payment>> => send({ method: 'POST', path, body, options }),
    /** All of the workspace, or those of one customer. */
    list: (query?: api.ListPaymentMethods, options?: CallOptions): List<api.PaymentMethod> =>
      pages(send, path, query, options),
    /** One payment method, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are, null clears. */
    update: (
      id: string,
      body: api.UpdatePaymentMethod,
      options?: UpdateOptions,
    ): Promise<Answered<api.PaymentMethod>> => send({ method: 'PUT', path: at(id), body, options }),
    /** From then on the customer can pay with it. */
    attach: (
      id: string,
      body: api.AttachPaymentMethod,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'POST', path: `${at(id)}/attach`, body, options }),
    /** For good: its card is destroyed. */
    detach: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'POST', path: `${at(id)}/detach`, options }),
  }
}

export function paymentsOf(send: Send) {
  const path = '/payments'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** One that is declined throws a `DeclineError`; one whose outcome is not known yet answers as it stands. */
    create: (body: api.CreatePayment, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path, body, options }),
    /** All payments, or those that fit what is asked for. */
    list: (query?: api.ListPayments, options?: CallOptions): List<api.Payment> =>
      pages(send, path, query, options),
    /** One payment. Its `summary` says what happened and why. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Which accounts were asked, and which were passed over and why. */
    attempts: (id: string, options?: CallOptions): List<api.PaymentAttempt> =>
      listOf(() => send({ method: 'GET', path: `${at(id)}/attempts`, options })),
    /** Takes what is held, or a part of it. */
    capture: (
      id: string,
      body: api.CapturePayment = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Payment>> => send({ method: 'POST', path: `${at(id)}/capture`, body, options }),
    /** Lets go of what is held. */
    cancel: (id: string, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${at(id)}/cancel`, options }),
    /** Its description and metadata. Members that are not sent stay as they are, null clears. */
    update: (id: string, body: api.UpdatePayment, options?: UpdateOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'PUT', path: at(id), body, options }),
    ...paymentInspectionOf(send, at),
  }
}

function paymentInspectionOf(send: Send, at: (paymentId: string) => string) {
  return {
    /** What was asked of providers, with the calls that were made for it. */
    operations: (id: string, options?: CallOptions): List<api.Operation> =>
      listOf(() => send({ method: 'GET', path: `${at(id)}/operations`, options })),
    /** Everything that happened, in order and in sentences. */
    timeline: (id: string, options?: CallOptions): List<api.TimelineEntry> =>
      listOf(() => send({ method: 'GET', path: `${at(id)}/timeline`, options })),
    /** Asks the provider now what became of what is not known, and waits for the answer. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${at(id)}/check`, options }),
    /** Says what the books of the provider say, for tokens of the role ADMIN. It is audited. */
    resolveOperation: (
      id: string,
      operationId: string,
      body: api.ResolveOperationPayment,
      options?: WriteOptions,
    ): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${at(id)}/operations/${part(operationId)}/resolve`, body, options }),
  }
}

export function refundsOf(send: Send) {
  const path = '/refunds'
  return {
    /** All that is left of a payment, or a part of it. */
    create: (body: api.CreateRefund, options?: WriteOptions): Promise<Answered<api.Refund>> =>
      send({ method: 'POST', path, body, options }),
    /** All refunds, or those of one payment. */
    list: (query?: api.ListRefunds, options?: CallOptions): List<api.Refund> =>
      pages(send, path, query, options),
    /** One refund, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Refund>> =>
      send({ method: 'GET', path: `${path}/${part(id)}`, options }),
  }
}
