/** What is billed again and again: the operations of subscriptions as methods. */
import { type List, pages } from './list.ts'

import { part } from './query.ts'
import type { Answered, CallOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function subscriptionsOf(send: Send) {
  const path = '/subscriptions'
  const at = (id: string) => `${path}/${part(id)}`
  const act = (id: string, action: string, body: object, options?: UpdateOptions) =>
    send<api.Subscription>({ method: 'PUT', path: `${at(id)}/${action}`, body, options })
  return {
    /** It is answered as `trialing`, also without a trial: its first charge runs after that. */
    create: (body: api.CreateSubscription, options?: WriteOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'POST', path, body, options }),
    /** All subscriptions, or those that fit what is asked for. */
    list: (query?: api.ListSubscriptions, options?: CallOptions): List<api.Subscription> =>
      pages(send, path, query, options),
    /** One subscription, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are. Other items are billed for the rest of the period. */
    update: (
      id: string,
      body: api.UpdateSubscription,
      options?: UpdateOptions,
    ): Promise<Answered<api.Subscription>> => send({ method: 'PUT', path: at(id), body, options }),
    /** Its clock stops. What is left of the period is lived after it resumes. */
    pause: (id: string, body: api.PauseSubscription = {}, options?: UpdateOptions) =>
      act(id, 'pause', body, options),
    /** Its clock goes on. If no time is left, a whole period is billed first. */
    resume: (id: string, body: api.ResumeSubscription = {}, options?: UpdateOptions) =>
      act(id, 'resume', body, options),
    /** For good: now, at the end of the period, or at a time. */
    cancel: (id: string, body: api.CancelSubscription = {}, options?: UpdateOptions) =>
      act(id, 'cancel', body, options),
    /** After somebody has looked at what was wrong with it. */
    unpark: (id: string, options?: WriteOptions): Promise<Answered<api.Subscription>> =>
      send({ method: 'POST', path: `${at(id)}/unpark`, options }),
    /** What creating one would bill. Nothing is written. */
    previewCreate: (
      body: api.PreviewCreateSubscription,
      options?: WriteOptions,
    ): Promise<Answered<api.SubscriptionPreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
    /** What an action would do and bill. Nothing is written. */
    preview: (
      id: string,
      body: api.PreviewSubscription,
      options?: WriteOptions,
    ): Promise<Answered<api.SubscriptionPreview>> =>
      send({ method: 'POST', path: `${at(id)}/preview`, body, options }),
    /** Whether the customer may use what they subscribed to: gate on this. */
    access: (id: string, options?: CallOptions): Promise<Answered<api.SubscriptionAccess>> =>
      send({ method: 'GET', path: `${at(id)}/access`, options }),
    /** All that a customer pays for. */
    billingState: (customerId: string, options?: CallOptions): Promise<Answered<api.BillingState>> =>
      send({ method: 'GET', path: `/customers/${part(customerId)}/billing-state`, options }),
  }
}
