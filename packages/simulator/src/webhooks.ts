/**
 * The webhooks of an account. They are signed, can be duplicated, reordered or forged for tests, and are retried until
 * the merchant responds with 200.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { OperationRecord } from './protocol.ts'
import { sign } from './signature.ts'

export type SendOptions = { readonly times?: number; readonly forged?: boolean }

export type Outbox = {
  send(
    type: 'operation.updated' | 'refund.created',
    operation: OperationRecord,
    options?: SendOptions,
  ): Promise<void>
  /** Sends all pending webhooks now, and returns how many are still pending. */
  flush(): Promise<number>
  clear(): void
}

type Delivery = {
  readonly body: string
  readonly url: string
  readonly forged: boolean
  attempts: number
  /** Cancels the next retry. */
  cancel: () => void
  sending: Promise<void> | null
}

const retryAfterMs = [1_000, 5_000, 30_000, 300_000]
const reorderWindowMs = 1_000
const timeoutMs = 10_000

type OutboxDeps = { readonly clock: Clock; readonly webhookOrigin: string | null }

export function newOutbox({ clock, webhookOrigin }: OutboxDeps, config: () => Config): Outbox {
  const pending = new Set<Delivery>()
  let held: Delivery[] = []

  async function send(
    type: string,
    operation: OperationRecord,
    { times = 1, forged = false }: SendOptions = {},
  ) {
    const { webhook_url: configuredUrl, webhooks } = config()
    if (configuredUrl === null || webhooks === 'off') return
    const url =
      webhookOrigin === null ? configuredUrl : new URL(new URL(configuredUrl).pathname, webhookOrigin).href
    const body = JSON.stringify({ id: `event_${randomUUID()}`, type, operation })
    const copies = webhooks === 'twice' ? times * 2 : times
    const deliveries = Array.from({ length: copies }, () => newDelivery(body, url, forged))
    if (webhooks === 'reordered') return holdForReordering(deliveries)
    await Promise.all(deliveries.map(deliver))
  }

  function newDelivery(body: string, url: string, forged: boolean): Delivery {
    const delivery = { body, url, forged, attempts: 0, cancel: () => {}, sending: null }
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
    const status = await post(delivery, delivery.forged ? ['psec_forged'] : config().secrets)
    const nextMs = retryAfterMs[delivery.attempts]
    delivery.attempts += 1
    // 401 means that the signature does not match: a retry would not change that.
    const ended = status === 200 || status === 401 || nextMs === undefined
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

  return { send, flush, clear }
}

/** The status of the response, or 0 if there was none. */
async function post({ url, body }: Delivery, secrets: readonly string[]): Promise<number> {
  const { pathname, search } = new URL(url)
  const signed = { role: 'callback', method: 'POST', path: `${pathname}${search}`, body } as const
  const headers = {
    'content-type': 'application/json',
    'switchyard-protocol': '1',
    // Use the system time and not the simulator's clock, because the receiver compares with its system time.
    'switchyard-signature': sign(signed, secrets, Math.floor(Date.now() / 1000)),
  }
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status
  } catch {
    return 0
  }
}
