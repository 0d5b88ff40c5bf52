// The webhooks of the shop. Only a webhook marks an order as paid: the redirect of a browser proves nothing, and the
// browser may never return.

import { StateError, type Switchyard, type WebhookEvent, webhookHandler } from '@switchyard/sdk'
import { toNodeListener } from '@switchyard/sdk/node'
import type { Store, StoredObject } from './store.ts'

const name = 'Example shop'
const eventTypes = ['checkout_session.*', 'payment.*', 'refund.*', 'subscription.*'] as const
const recoveryDays = 29

/** Creates the endpoint at the first start, and finds it later. */
export async function ensureEndpoint(switchyard: Switchyard, url: string) {
  const endpoints = await switchyard.webhookEndpoints.list().all({ max: 20 })
  const existing = endpoints.find((endpoint) => endpoint.name === name)
  const endpoint =
    existing ?? (await switchyard.webhookEndpoints.create({ name, url, event_types: [...eventTypes] }))
  if (endpoint.url !== url) await switchyard.webhookEndpoints.update(endpoint.id, { url })
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint.id)
  return { id: endpoint.id, isDisabled: endpoint.status === 'disabled', secret }
}

/**
 * Called when the shop is listening: requests the events that it missed while it was down, whether their deliveries are
 * held, exhausted or waiting for a retry. Events that were already handled are skipped by their id.
 */
export async function requestMissedEvents(
  switchyard: Switchyard,
  { id, isDisabled }: { id: string; isDisabled: boolean },
) {
  if (isDisabled) await switchyard.webhookEndpoints.enable(id)
  const since = new Date(Date.now() - recoveryDays * 86_400_000)
  await ignoreStateError(switchyard.webhookEndpoints.recover(id, { since_at: since }))
  const latest = await switchyard.deliveries.list(id).all({ max: 100 })
  const waiting = latest.filter(({ state, last_outcome }) => state === 'pending' && last_outcome !== null)
  for (const delivery of waiting) await ignoreStateError(switchyard.deliveries.resend(delivery.id))
}

/** Ignores a StateError: a recovery is already running, or the webhook has just been delivered. */
async function ignoreStateError(request: Promise<unknown>): Promise<void> {
  await request.catch((error) => {
    if (!(error instanceof StateError)) throw error
  })
}

/** Switchyard sends the event again unless the response is 200, so respond with 200 only after it is on disk. */
export function webhookListener(store: Store, secret: string) {
  const handler = webhookHandler({
    secret,
    on: {},
    otherwise: (event) => handleEvent(store, event),
    onError: (error) => console.error(`A webhook was rejected: ${error}`),
  })
  return toNodeListener(handler)
}

/** Storing the event id, storing its object and shipping are one transaction: all of them happen, or none. */
function handleEvent(store: Store, event: WebhookEvent): void {
  store.inOneTransaction(() => {
    if (!store.isFirst(event.id)) return
    const { object, sequence } = event.content
    if (!isStoredObject(object)) return
    const orderId = orderIdOf(store, object)
    // The workspace can have payments that do not belong to this shop.
    if (orderId === null || store.findOrder(orderId) === null) return
    if (!store.saveIfNewer(orderId, { sequence, object })) return
    if (object.object === 'checkout_session' && object.status === 'completed') store.ship(orderId)
    saveSubscriptionId(store, orderId, object)
  })
}

/**
 * Saves the id of the subscription, without which a subscriber cannot pause or cancel: the shop may have been
 * killed before it received the id in a response.
 */
function saveSubscriptionId(store: Store, orderId: string, object: StoredObject): void {
  if (object.object === 'subscription' && store.findOrder(orderId)?.subscription_id === null)
    store.changeOrder(orderId, { subscription_id: object.id })
}

const storedTypes: readonly string[] = [
  'checkout_session',
  'payment',
  'refund',
  'subscription',
] satisfies StoredObject['object'][]

function isStoredObject(object: WebhookEvent['content']['object']): object is StoredObject {
  return 'object' in object && storedTypes.includes(object.object)
}

/** Objects that the shop creates have the order id in their metadata. A refund made elsewhere refers to its payment. */
function orderIdOf(store: Store, object: StoredObject): string | null {
  const orderId = object.metadata.order_id ?? null
  if (orderId !== null || object.object !== 'refund') return orderId
  return store.orderOfObject(object.payment_id)
}
