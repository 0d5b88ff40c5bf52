/** Subscriptions. */
import { type List, paginatedList } from './list.ts'

import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function subscriptionsOf(send: Send) {
  const path = '/subscriptions'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  const putAction = (id: string, action: string, body: object, options?: UpdateOptions) =>
    send<api.Subscription>({ method: 'PUT', path: `${pathOf(id)}/${action}`, body, options })
  return {
    /**
     * Creates a subscription. It is returned as `trialing` even without a trial: it is charged shortly
     * afterwards.
     */
    create: (body: api.CreateSubscription, options?: WriteOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists subscriptions, optionally filtered. */
    list: (query?: api.ListSubscriptions, options?: CallOptions): List<api.Subscription> =>
      paginatedList(send, path, query, options),
    /** Retrieves a subscription. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged. Changed items are prorated for the rest of the period. */
    update: (
      id: string,
      body: api.UpdateSubscription,
      options?: UpdateOptions,
    ): Promise<Answered<api.Subscription>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Pauses billing. The remaining time of the period is added when the subscription resumes. */
    pause: (id: string, body: api.PauseSubscription = {}, options?: UpdateOptions) =>
      putAction(id, 'pause', body, options),
    /** Resumes billing. If no time of the period remains, a full period is billed first. */
    resume: (id: string, body: api.ResumeSubscription = {}, options?: UpdateOptions) =>
      putAction(id, 'resume', body, options),
    /** Cancels permanently: now, at the end of the period, or at a given time. */
    cancel: (id: string, body: api.CancelSubscription = {}, options?: UpdateOptions) =>
      putAction(id, 'cancel', body, options),
    /** Resumes a subscription that was parked because of an error, after you have investigated it. */
    unpark: (id: string, options?: WriteOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'POST', path: `${pathOf(id)}/unpark`, options }),
    /** Previews what creating a subscription would bill. Nothing is saved. */
    previewCreate: (
      body: api.PreviewCreateSubscription,
      options?: WriteOptions,
    ): Promise<Answered<api.SubscriptionPreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
    /** Previews what an action would change and bill. Nothing is saved. */
    preview: (
      id: string,
      body: api.PreviewSubscription,
      options?: WriteOptions,
    ): Promise<Answered<api.SubscriptionPreview>> =>
      send({ method: 'POST', path: `${pathOf(id)}/preview`, body, options }),
    /** Whether the customer has access to what they subscribed to. Use it to gate features. */
    access: (id: string, options?: CallOptions): Promise<Answered<api.SubscriptionAccess>> =>
      send({ method: 'GET', path: `${pathOf(id)}/access`, options }),
    /** All subscriptions of a customer, with their access. */
    billingState: (customerId: string, options?: CallOptions): Promise<Answered<api.BillingState>> =>
      send({ method: 'GET', path: `/customers/${encodeId(customerId)}/billing-state`, options }),
  }
}
