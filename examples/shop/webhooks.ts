// What the shop hears from Switchyard. Here, and nowhere else, an order becomes paid: what a browser says when it
// comes back proves nothing, and it may never come back.

import { StateError, type Switchyard, type WebhookEvent, webhookHandler } from '@switchyard/sdk'
import { toNodeListener } from '@switchyard/sdk/node'
import type { Kept, Store } from './store.ts'

const name = 'Example shop'
const eventTypes = ['checkout_session.*', 'payment.*', 'refund.*', 'subscription.*'] as const
const daysKept = 29

/** Made at the first start, and found again at the next ones. */
export async function ensureEndpoint(switchyard: Switchyard, url: string) {
  const endpoints = await switchyard.webhookEndpoints.list().all({ max: 20 })
  const ours = endpoints.find((endpoint) => endpoint.name === name)
  const endpoint =
    ours ?? (await switchyard.webhookEndpoints.create({ name, url, event_types: [...eventTypes] }))
  if (endpoint.url !== url) await switchyard.webhookEndpoints.update(endpoint.id, { url })
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint.id)
  return { id: endpoint.id, isDisabled: endpoint.status === 'disabled', secret }
}

/**
 * When the shop listens: what it missed while it was closed is sent now, whether it was held, given up, or waits for
 * its next try. What has come already is skipped by its id.
 */
export async function catchUp(
  switchyard: Switchyard,
  { id, isDisabled }: { id: string; isDisabled: boolean },
) {
  if (isDisabled) await switchyard.webhookEndpoints.enable(id)
  const since = new Date(Date.now() - daysKept * 86_400_000)
  await unlessUnderWay(switchyard.webhookEndpoints.recover(id, { since_at: since }))
  const latest = await switchyard.deliveries.list(id).all({ max: 100 })
  const waiting = latest.filter(({ state, last_outcome }) => state === 'pending' && last_outcome !== null)
  for (const delivery of waiting) await unlessUnderWay(switchyard.deliveries.resend(delivery.id))
}

/** It is refused if it happens already: the shop was started a moment ago too, or the webhook has just come. */
async function unlessUnderWay(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error) => {
    if (!(error instanceof StateError)) throw error
  })
}

/** Anything but 200 makes Switchyard send the event again, so 200 means: it is on disk. */
export function webhookListener(store: Store, secret: string) {
  const handler = webhookHandler({
    secret,
    on: {},
    otherwise: (event) => take(store, event),
    onError: (error) => console.error(`A webhook was not taken: ${error}`),
  })
  return toNodeListener(handler)
}

/** To know an event, to keep its object and to send the goods is one transaction: none of them happens alone. */
function take(store: Store, event: WebhookEvent): void {
  store.inOneTransaction(() => {
    if (!store.isFirst(event.id)) return
    const { object, sequence } = event.content
    if (!isKept(object)) return
    const orderId = orderIdOf(store, object)
    // The workspace may have other payments than ours.
    if (orderId === null || store.findOrder(orderId) === null) return
    if (!store.keepIfNewer(orderId, { sequence, object })) return
    if (object.object === 'checkout_session' && object.status === 'completed') store.ship(orderId)
    nameSubscription(store, orderId, object)
  })
}

/** The shop may have been killed before it heard the answer. Who is billed must be able to pause and cancel. */
function nameSubscription(store: Store, orderId: string, object: Kept): void {
  if (object.object === 'subscription' && store.findOrder(orderId)?.subscription_id === null)
    store.changeOrder(orderId, { subscription_id: object.id })
}

const kinds: readonly string[] = [
  'checkout_session',
  'payment',
  'refund',
  'subscription',
] satisfies Kept['object'][]

function isKept(object: WebhookEvent['content']['object']): object is Kept {
  return 'object' in object && kinds.includes(object.object)
}

/** Each object that the shop makes carries the order. A refund that was made elsewhere names its payment. */
function orderIdOf(store: Store, object: Kept): string | null {
  const named = object.metadata.order_id ?? null
  if (named !== null || object.object !== 'refund') return named
  return store.orderOfObject(object.payment_id)
}
