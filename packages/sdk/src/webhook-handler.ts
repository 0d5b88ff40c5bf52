/**
 * A receiver of webhooks as one function from `Request` to `Response`. It answers 2xx only for what was
 * handled: whatever else it answers is tried again, so that nothing is lost when a receiver fails.
 */
import { WebhookVerificationError } from './errors.ts'
import type { EventOf } from './events.ts'
import type { EventObjects } from './types.generated.ts'
import { requireSecrets, type VerifyWebhook, verifyWebhook, type WebhookEvent } from './webhooks.ts'

/** The event of one type. */
export type WebhookEventOf<Type extends keyof EventObjects> = EventOf<Type>

/** Ids of events that were handled: a `Set`, or a table of yours. Keep them for 30 days. */
export type SeenEvents = {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export type WebhookHandlerOptions = Pick<VerifyWebhook, 'secret' | 'toleranceSeconds'> & {
  /** Without it, what comes twice is handled twice. */
  readonly seen?: SeenEvents | undefined
  /** What to do, by type. To throw is to ask for another try. */
  readonly on: { readonly [Type in keyof EventObjects]?: (event: WebhookEventOf<Type>) => unknown }
  /** Gets the events of all other types, also of those that this package does not know yet. */
  readonly otherwise?: ((event: WebhookEvent) => unknown) | undefined
  /** Hears why a webhook was not answered with 200. Without it: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined
}

export type WebhookHandler = (request: Request) => Promise<Response>

/**
 * Verifies, skips what was seen, runs the function of the type and remembers the id: 200. A webhook that is
 * not Switchyard's is 400 with the reason; what throws is 500, and is not remembered.
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  // A secret that is missing should be noticed when the receiver starts, not when the first event comes.
  requireSecrets(options.secret)
  return async (request) => {
    try {
      return answer(200, { result: await receive(options, request) })
    } catch (error) {
      report(options, error)
      if (error instanceof WebhookVerificationError) return answer(400, { reason: error.reason })
      return answer(500, { reason: 'handler_failed' })
    }
  }
}

async function receive(options: WebhookHandlerOptions, request: Request) {
  const { secret, toleranceSeconds, seen, on, otherwise } = options
  const body = await request.arrayBuffer()
  const event = await verifyWebhook({ body, headers: request.headers, secret, toleranceSeconds })
  if (await seen?.has(event.id)) return 'seen'
  const own = Object.hasOwn(on, event.type) ? on[event.type] : undefined
  const run = (own ?? otherwise) as ((event: WebhookEvent) => unknown) | undefined
  await run?.(event)
  await seen?.add(event.id)
  return run === undefined ? 'ignored' : 'handled'
}

/** The webhook is answered whatever the listener does. */
function report({ onError = console.error }: WebhookHandlerOptions, error: unknown): void {
  try {
    onError(error)
  } catch {}
}

/** Short, and for your eyes: it is kept with the attempt, where you look when something went wrong. */
function answer(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}
