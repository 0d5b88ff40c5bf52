// Events that were signed just now, and a receiver for them that notes what it ran.

import { type Event, signWebhook, type WebhookHandlerOptions, webhookHandler } from '../../src/index.ts'

export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

let made = 0

export function anEvent(type = 'customer.created'): Event {
  made += 1
  const [id, created_at] = [`event_test_${made}`, new Date().toISOString()]
  const object = { id: 'customer_test_1', object: 'customer', email: 'ada@example.com' }
  const data = JSON.stringify({ id, type, created_at, mode: 'test', sequence: made, object, request: null })
  return { id, object: 'event', type, created_at, api_version: '2026-11-14', pending_deliveries: 1, data }
}

export async function requestOf(event: Event, key: string | readonly string[] = secret): Promise<Request> {
  return new Request('https://example.com/webhooks', { method: 'POST', ...(await signWebhook(event, key)) })
}

/** A receiver that notes what it ran. */
export function aReceiver(options: Partial<WebhookHandlerOptions> = {}) {
  const ran: string[] = []
  const errors: unknown[] = []
  const handler = webhookHandler({
    secret,
    on: { 'customer.created': ({ id, content }) => void ran.push(`created ${id} ${content.object.email}`) },
    onError: (error) => void errors.push(error),
    ...options,
  })
  const receive = async (request: Request) => {
    const answer = await handler(request)
    const body = (await answer.json()) as { result?: string; reason?: string }
    return { status: answer.status, body }
  }
  return { ran, errors, receive, handler }
}
