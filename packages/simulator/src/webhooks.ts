/**
 * The webhooks of an account. They are signed, can be duplicated, reordered or forged for tests, and are retried until
 * the merchant responds with 200.
 */
import { randomUUID } from 'node:crypto'
import type { Dialect, DisputeEvent, ReturnEvent, WebhookEvent, WebhookRequest } from './dialects/dialect.ts'
import type { Dispute } from './disputes.ts'
import type { OperationRecord } from './protocol.ts'
import type { ReturnRecord } from './returns.ts'
import type { AccountContext } from './run-operation.ts'
import { sign } from './signature.ts'
import type { Account, SimulatorState } from './simulator-state.ts'

export type SendOptions = { readonly times?: number; readonly forged?: boolean }

type AnyEvent = WebhookEvent | DisputeEvent | ReturnEvent
type OperationEventType = WebhookEvent['type']

export type Outbox = {
  send(type: OperationEventType, operation: OperationRecord, options?: SendOptions): Promise<void>
  sendDispute(dispute: Dispute): Promise<void>
  sendReturn(returned: ReturnRecord): Promise<void>
  /** Sends all pending webhooks now, and returns how many are still pending. */
  flush(): Promise<number>
  clear(): void
}

type Delivery = {
  readonly request: WebhookRequest
  readonly url: string
  attempts: number
  /** Cancels the next retry. */
  cancel: () => void
  sending: Promise<void> | null
}

const retryAfterMs = [1_000, 5_000, 30_000, 300_000]
const reorderWindowMs = 3_000
const timeoutMs = 10_000

export function newOutbox(state: SimulatorState, owner: () => Account): Outbox {
  const { clock, webhookOrigin } = state
  const pending = new Set<Delivery>()
  let held: Delivery[] = []

  const send: Outbox['send'] = (type, record, { times = 1, forged = false } = {}) =>
    sendEvent({ type, record, forged }, times)

  async function sendEvent(event: AnyEvent, times: number): Promise<void> {
    const account = owner()
    const { webhook_url: configuredUrl, webhooks } = account.config
    if (webhooks === 'off') return
    const copies = webhooks === 'twice' ? times * 2 : times
    const deliveries = requestsOf(account, event).flatMap((request) => {
      const url = request.url ?? configuredUrl
      return url === null ? [] : Array.from({ length: copies }, () => newDelivery(request, targetOf(url)))
    })
    if (deliveries.length === 0) return
    if (webhooks === 'reordered') return holdForReordering(deliveries)
    await Promise.all(deliveries.map(deliver))
  }

  function requestsOf(account: Account, event: AnyEvent): readonly WebhookRequest[] {
    const { webhook_url: url, dialect: name } = account.config
    if (name === 'custom') return url === null ? [] : [protocolWebhook(account, targetOf(url), event)]
    return dialectWebhooks({ state, account }, state.dialects[name], event)
  }

  const targetOf = (url: string) => (webhookOrigin === null ? url : withOrigin(url, webhookOrigin))

  function newDelivery(request: WebhookRequest, url: string): Delivery {
    const delivery = { request, url, attempts: 0, cancel: () => {}, sending: null }
    pending.add(delivery)
    return delivery
  }

  function holdForReordering(deliveries: Delivery[]): void {
    if (held.length === 0) clock.schedule(clock.now() + reorderWindowMs, release)
    held.push(...deliveries)
  }

  /** Sends the newest first, one at a time, so that they certainly arrive out of order. */
  async function release(): Promise<void> {
    const order = held.reverse()
    held = []
    for (const delivery of order) await deliver(delivery)
  }

  function deliver(delivery: Delivery): Promise<void> {
    delivery.cancel()
    delivery.sending ??= attemptDelivery(delivery).finally(() => {
      delivery.sending = null
    })
    return delivery.sending
  }

  async function attemptDelivery(delivery: Delivery): Promise<void> {
    const status = await post(delivery)
    const nextMs = retryAfterMs[delivery.attempts]
    delivery.attempts += 1
    // 401 means that the signature does not match: a retry would not change that.
    const ended = (status >= 200 && status < 300) || status === 401 || nextMs === undefined
    if (ended) pending.delete(delivery)
    else if (pending.has(delivery))
      delivery.cancel = clock.schedule(clock.now() + nextMs, () => deliver(delivery))
  }

  async function flush(): Promise<number> {
    await release()
    await Promise.all([...pending].map(deliver))
    return pending.size
  }

  function clear(): void {
    for (const { cancel } of pending) cancel()
    pending.clear()
    held = []
  }

  return {
    send,
    sendDispute: (dispute) => sendEvent({ type: 'dispute.updated', dispute }, 1),
    sendReturn: (returned) => sendEvent({ type: 'debit.returned', return: returned }, 1),
    flush,
    clear,
  }
}

function dialectWebhooks(
  context: AccountContext,
  dialect: Dialect | undefined,
  event: AnyEvent,
): readonly WebhookRequest[] {
  if ('dispute' in event) return dialect?.disputeWebhooks?.(context, event.dispute) ?? []
  if ('return' in event) return dialect?.returnWebhooks?.(context, event.return) ?? []
  return dialect?.webhooksOf(context, event) ?? []
}

/** The URL with another origin. */
function withOrigin(url: string, origin: string): string {
  const { pathname, search } = new URL(url)
  return new URL(`${pathname}${search}`, origin).href
}

/** A webhook of the `custom` protocol. */
function protocolWebhook(account: Account, url: string, event: AnyEvent): WebhookRequest {
  const content = contentOf(event)
  const forged = 'forged' in event && event.forged
  const body = JSON.stringify({ id: `event_${randomUUID()}`, type: event.type, ...content })
  const { pathname, search } = new URL(url)
  const signed = { role: 'callback', method: 'POST', path: `${pathname}${search}`, body } as const
  return {
    contentType: 'application/json',
    body,
    headers: () => ({
      'switchyard-protocol': '1',
      // Use the system time and not the simulator's clock, because the receiver compares with its system time.
      'switchyard-signature': sign(
        signed,
        forged ? ['psec_forged'] : account.config.secrets,
        Math.floor(Date.now() / 1000),
      ),
    }),
  }
}

function contentOf(event: AnyEvent): object {
  if ('dispute' in event) return { dispute: event.dispute }
  return 'return' in event ? { return: event.return } : { operation: event.record }
}

/** The status of the response, or 0 if there was none. */
async function post({ url, request }: Delivery): Promise<number> {
  const { body, contentType } = request
  const headers = { 'content-type': contentType, ...request.headers() }
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status
  } catch {
    return 0
  }
}
