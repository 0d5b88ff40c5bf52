// Freshly signed events, and a receiver that records what it handled.

import { type Event, signWebhook, type WebhookHandlerOptions, webhookHandler } from '../../src/index.ts'

export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

let eventCount = 0

export function newEvent(type = 'customer.created'): Event {
  eventCount += 1
  const [id, created_at] = [`event_test_${eventCount}`, new Date().toISOString()]
  const object = { id: 'customer_test_1', object: 'customer', email: 'ada@example.com' }
  const data = JSON.stringify({
    id,
    type,
    created_at,
    mode: 'test',
    sequence: eventCount,
    object,
    request: null,
  })
  return { id, object: 'event', type, created_at, api_version: '2026-11-14', pending_deliveries: 1, data }
}

export async function requestOf(event: Event, key: string | readonly string[] = secret): Promise<Request> {
  return new Request('https://example.com/webhooks', { method: 'POST', ...(await signWebhook(event, key)) })
}

/** A receiver that records what it handled. */
export function newReceiver(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const handler = webhookHandler({
    secret,
    on: {
      'customer.created': ({ id, content }) => void handled.push(`created ${id} ${content.object.email}`),
    },
    onError: (error) => void errors.push(error),
    ...options,
  })
  const receive = async (request: Request) => {
    const response = await handler(request)
    const body = (await response.json()) as { result?: string; reason?: string }
    return { status: response.status, body }
  }
  return { handled, errors, receive, handler }
}
