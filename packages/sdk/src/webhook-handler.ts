/**
 * A webhook receiver as a function from `Request` to `Response`. It responds with 2xx only after an event has
 * been handled. After any other response the server retries the delivery, so that no event is lost when a
 * receiver fails.
 */
import { WebhookVerificationError } from './errors.ts'
import type { EventOf } from './events.ts'
import type { EventObjects } from './types.generated.ts'
import { requireSecrets, type VerifyWebhook, verifyWebhook, type WebhookEvent } from './webhooks.ts'

/** The event of one type. */
export type WebhookEventOf<Type extends keyof EventObjects> = EventOf<Type>

/** Ids of handled events: a `Set`, or your own table. Keep them for 30 days. */
export type SeenEvents = {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export type WebhookHandlerOptions = Pick<
  VerifyWebhook,
  'secret' | 'toleranceSeconds' | 'signatureDigestOnly'
> & {
  /** Skips events that were already handled. Without it, a repeated delivery is handled again. */
  readonly seen?: SeenEvents | undefined
  /** Handlers by event type. If a handler throws, the event is delivered again later. */
  readonly on: { readonly [Type in keyof EventObjects]?: (event: WebhookEventOf<Type>) => unknown }
  /** Handles events of all other types, including types that this version of the SDK does not know. */
  readonly otherwise?: ((event: WebhookEvent) => unknown) | undefined
  /** Called with the error when the response is not 200. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined
}

export type WebhookHandler = (request: Request) => Promise<Response>

/**
 * Verifies the webhook, skips it if its id is in `seen`, calls the handler of its type, adds the id to `seen` and
 * responds with 200. Failed verification is 400 with the reason. If the handler throws, the response is 500 and the
 * id is not added.
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  // Report a missing secret when the receiver starts, not at the first event.
  requireSecrets(options.secret)
  return async (request) => {
    try {
      return jsonResponse(200, { result: await receive(options, request) })
    } catch (error) {
      report(options, error)
      if (error instanceof WebhookVerificationError) return jsonResponse(400, { reason: error.reason })
      return jsonResponse(500, { reason: 'handler_failed' })
    }
  }
}

async function receive(options: WebhookHandlerOptions, request: Request) {
  const { secret, toleranceSeconds, signatureDigestOnly, seen, on, otherwise } = options
  const [body, headers] = [await request.arrayBuffer(), request.headers]
  const event = await verifyWebhook({ body, headers, secret, toleranceSeconds, signatureDigestOnly })
  if (await seen?.has(event.id)) return 'seen'
  const typeHandler = Object.hasOwn(on, event.type) ? on[event.type] : undefined
  const handler = (typeHandler ?? otherwise) as ((event: WebhookEvent) => unknown) | undefined
  await handler?.(event)
  await seen?.add(event.id)
  return handler === undefined ? 'ignored' : 'handled'
}

/** Errors of the callback are ignored, so that the webhook always gets a response. */
function report({ onError = console.error }: WebhookHandlerOptions, error: unknown): void {
  try {
    onError(error)
  } catch {}
}

/** The body is stored with the delivery attempt, which helps to debug failures. */
function jsonResponse(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}
