/** Payment methods, payments, refunds, disputes and files. */
import { type List, listOf, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentMethodsOf(send: Send) {
  const path = '/payment-methods'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /**
     * Verifies and saves the card of a token. If the payer has to authenticate, or the outcome is not known yet, it
     * returns the payment that verifies the card instead: check `object`.
     */
    create: (
      body: api.CreatePaymentMethod,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentMethod | api.Payment>> => send({ method: 'POST', path, body, options }),
    /** Lists payment methods, optionally of one customer. */
    list: (query?: api.ListPaymentMethods, options?: CallOptions): List<api.PaymentMethod> =>
      paginatedList(send, path, query, options),
    /** Retrieves a payment method. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. */
    update: (
      id: string,
      body: api.UpdatePaymentMethod,
      options?: UpdateOptions,
    ): Promise<Answered<api.PaymentMethod>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Attaches the payment method to a customer, who can then pay with it. */
    attach: (
      id: string,
      body: api.AttachPaymentMethod,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'POST', path: `${pathOf(id)}/attach`, body, options }),
    /** Verifies the card at another provider account, which can then charge it with a token of its own. */
    createCredential: (
      id: string,
      body: api.CreateCredentialPaymentMethod,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentMethod | api.Payment>> =>
      send({ method: 'POST', path: `${pathOf(id)}/credentials`, body, options }),
    /** Detaches the payment method and deletes its card data. This cannot be undone. */
    detach: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentMethod>> =>
      send({ method: 'POST', path: `${pathOf(id)}/detach`, options }),
  }
}

export function paymentsOf(send: Send) {
  const path = '/payments'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /**
     * Throws a `DeclineError` if the payment is declined. If the outcome is unknown, returns the payment in its
     * current state.
     */
    create: (body: api.CreatePayment, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists payments, optionally filtered. */
    list: (query?: api.ListPayments, options?: CallOptions): List<api.Payment> =>
      paginatedList(send, path, query, options),
    /** Retrieves a payment. Its `summary` explains what happened. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Lists the attempts: which accounts were tried, and which were skipped and why. */
    attempts: (id: string, options?: CallOptions): List<api.PaymentAttempt> =>
      listOf(() => send({ method: 'GET', path: `${pathOf(id)}/attempts`, options })),
    /** Captures the authorized amount, or a part of it. */
    capture: (
      id: string,
      body: api.CapturePayment = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${pathOf(id)}/capture`, body, options }),
    /** Cancels the payment and voids its authorization. */
    cancel: (id: string, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${pathOf(id)}/cancel`, options }),
    /** Updates description and metadata. Omitted members stay unchanged; null clears a member. */
    update: (id: string, body: api.UpdatePayment, options?: UpdateOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    ...paymentInspectionOf(send, pathOf),
  }
}

function paymentInspectionOf(send: Send, pathOf: (paymentId: string) => string) {
  return {
    /** Lists the operations at providers, with the calls of each. */
    operations: (id: string, options?: CallOptions): List<api.Operation> =>
      listOf(() => send({ method: 'GET', path: `${pathOf(id)}/operations`, options })),
    /** Lists everything that happened to the payment, in order. */
    timeline: (id: string, options?: CallOptions): List<api.TimelineEntry> =>
      listOf(() => send({ method: 'GET', path: `${pathOf(id)}/timeline`, options })),
    /** Looks up unknown outcomes at the provider now, and waits for the result. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.Payment>> =>
      send({ method: 'POST', path: `${pathOf(id)}/check`, options }),
    /** Sets the outcome of an operation manually, as shown by the provider. Requires the ADMIN role; audited. */
    resolveOperation: (
      id: string,
      operationId: string,
      body: api.ResolveOperationPayment,
      options?: WriteOptions,
    ): Promise<Answered<api.Payment>> =>
      send({
        method: 'POST',
        path: `${pathOf(id)}/operations/${encodeId(operationId)}/resolve`,
        body,
        options,
      }),
  }
}

export function refundsOf(send: Send) {
  const path = '/refunds'
  return {
    /** Refunds the remaining amount of a payment, or a part of it. */
    create: (body: api.CreateRefund, options?: WriteOptions): Promise<Answered<api.Refund>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists refunds, optionally of one payment. */
    list: (query?: api.ListRefunds, options?: CallOptions): List<api.Refund> =>
      paginatedList(send, path, query, options),
    /** Retrieves a refund. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Refund>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
  }
}

export function filesOf(send: Send) {
  const path = '/files'
  return {
    /** Uploads a PDF, JPEG or PNG file of up to 5 MB, as base64. Attach it to a dispute within 7 days. */
    create: (body: api.CreateFile, options?: WriteOptions): Promise<Answered<api.File>> =>
      send({ method: 'POST', path, body, options }),
    /** Retrieves the name, type and size of a file. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.File>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
  }
}

export function disputesOf(send: Send) {
  const path = '/disputes'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists disputes, optionally of one payment, with one status or with a deadline. */
    list: (query?: api.ListDisputes, options?: CallOptions): List<api.Dispute> =>
      paginatedList(send, path, query, options),
    /** Retrieves a dispute. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Dispute>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Changes the evidence of a dispute. Nothing is sent to the provider before `submit`. */
    update: (id: string, body: api.UpdateDispute, options?: WriteOptions): Promise<Answered<api.Dispute>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Sends the evidence to the provider. */
    submit: (id: string, options?: WriteOptions): Promise<Answered<api.Dispute>> =>
      send({ method: 'POST', path: `${pathOf(id)}/submit`, options }),
    /** Accepts a dispute: the cardholder keeps the amount. This cannot be undone. */
    accept: (id: string, options?: WriteOptions): Promise<Answered<api.Dispute>> =>
      send({ method: 'POST', path: `${pathOf(id)}/accept`, options }),
    /** Reads the current state of a dispute from the provider. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.Dispute>> =>
      send({ method: 'POST', path: `${pathOf(id)}/check`, options }),
  }
}
