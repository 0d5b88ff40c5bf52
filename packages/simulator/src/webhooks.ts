/**
 * What an account tells its merchant: events that are signed, sent in any order and any number of times, and
 * tried again a few times if nobody says that they were stored.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { OperationRecord } from './protocol.ts'
import { sign } from './signature.ts'

export type Telling = { readonly times?: number; readonly forged?: boolean }

export type Outbox = {
  tell(
    type: 'operation.updated' | 'refund.created',
    operation: OperationRecord,
    telling?: Telling,
  ): Promise<void>
  /** Tries everything that waits, now, and says how many nobody has stored yet. */
  flush(): Promise<number>
  clear(): void
}

type Delivery = {
  readonly body: string
  readonly url: string
  readonly forged: boolean
  tries: number
  /** Takes back the next try. */
  cancel: () => void
  sending: Promise<void> | null
}

const retryAfterMs = [1_000, 5_000, 30_000, 300_000]
const reorderWindowMs = 1_000
const timeoutMs = 10_000

export function newOutbox(clock: Clock, config: () => Config): Outbox {
  const waiting = new Set<Delivery>()
  let held: Delivery[] = []

  async function tell(type: string, operation: OperationRecord, { times = 1, forged = false }: Telling = {}) {
    const { webhook_url: url, webhooks } = config()
    if (url === null || webhooks === 'off') return
    const body = JSON.stringify({ id: `event_${randomUUID()}`, type, operation })
    const copies = webhooks === 'twice' ? times * 2 : times
    const made = Array.from({ length: copies }, () => newDelivery(body, url, forged))
    if (webhooks === 'reordered') return hold(made)
    await Promise.all(made.map(deliver))
  }

  function newDelivery(body: string, url: string, forged: boolean): Delivery {
    const delivery = { body, url, forged, tries: 0, cancel: () => {}, sending: null }
    waiting.add(delivery)
    return delivery
  }

  function hold(made: Delivery[]): void {
    if (held.length === 0) clock.at(clock.now() + reorderWindowMs, release)
    held.push(...made)
  }

  /** The newest first, one after the other, so that they arrive in the wrong order for sure. */
  async function release(): Promise<void> {
    const order = held.reverse()
    held = []
    for (const delivery of order) await deliver(delivery)
  }

  function deliver(delivery: Delivery): Promise<void> {
    delivery.cancel()
    delivery.sending ??= attempt(delivery).finally(() => {
      delivery.sending = null
    })
    return delivery.sending
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const status = await post(delivery, delivery.forged ? ['psec_forged'] : config().secrets)
    const nextMs = retryAfterMs[delivery.tries]
    delivery.tries += 1
    // 401 says that it is not theirs: the next try would be no different.
    const ended = status === 200 || status === 401 || nextMs === undefined
    if (ended) waiting.delete(delivery)
    else if (waiting.has(delivery)) delivery.cancel = clock.at(clock.now() + nextMs, () => deliver(delivery))
  }

  async function flush(): Promise<number> {
    await release()
    await Promise.all([...waiting].map(deliver))
    return waiting.size
  }

  function clear(): void {
    for (const { cancel } of waiting) cancel()
    waiting.clear()
    held = []
  }

  return { tell, flush, clear }
}

/** The status of the answer, or 0 if none came. */
async function post({ url, body }: Delivery, secrets: readonly string[]): Promise<number> {
  const { pathname, search } = new URL(url)
  const signed = { role: 'callback', method: 'POST', path: `${pathname}${search}`, body } as const
  const headers = {
    'content-type': 'application/json',
    'switchyard-protocol': '1',
    // In real time, whatever the simulator's clock says: the receiver compares with its own.
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
