/** Looking at everything at once: search, figures, what needs a person, and how the installation fares. */
import { type List, listOf } from './list.ts'
import type { Answered, CallOptions, Send } from './send.ts'
import type * as api from './types.generated.ts'

export function searchOf(send: Send) {
  /** By an id, a reference of a provider, an order, an e-mail address, the number of an invoice, `4242 40.00`. */
  return (q: string, options?: CallOptions): Promise<Answered<api.Page<api.SearchHit>>> =>
    send({ method: 'GET', path: '/search', query: { q }, options })
}

export function attentionOf(send: Send) {
  return {
    /** What needs a person now, the worst first. */
    list: (options?: CallOptions): List<api.Concern> =>
      listOf(() => send({ method: 'GET', path: '/attention', options })),
  }
}

export function reportsOf(send: Send) {
  return {
    /** What became of payments, by the hour of the last day unless it says otherwise. */
    payments: (query?: api.PaymentsReports, options?: CallOptions): Promise<Answered<api.PaymentsReport>> =>
      send({ method: 'GET', path: '/reports/payments', query: { ...query }, options }),
    /** What subscriptions bring, what is at risk, and what dunning brought back. */
    billing: (options?: CallOptions): Promise<Answered<api.BillingReport>> =>
      send({ method: 'GET', path: '/reports/billing', options }),
    /** The same by the day, of the last 30 days unless it says otherwise. */
    billingHistory: (
      query?: api.BillingHistoryReports,
      options?: CallOptions,
    ): Promise<Answered<api.BillingHistory>> =>
      send({ method: 'GET', path: '/reports/billing/history', query: { ...query }, options }),
  }
}

export function systemOf(send: Send) {
  return {
    /** The checks of the command `doctor`, for tokens of the role ADMIN. */
    get: (options?: CallOptions): Promise<Answered<api.System>> =>
      send({ method: 'GET', path: '/system', options }),
  }
}
