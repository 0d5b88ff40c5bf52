// Generates load during a drill with the SDK: payments, refunds, customer updates, and subscriptions that
// renew on a test clock. It records every acknowledged object, because all of them must exist afterwards.

import { setTimeout as sleep } from 'node:timers/promises'
import { Switchyard } from '@switchyard/sdk'
import { createDrillRefund } from './drill-refund.ts'

export const kinds = ['payment', 'refund', 'customer', 'subscription'] as const
export type Kind = (typeof kinds)[number]

/** An object as returned by the API. */
export type Acknowledged = {
  readonly kind: Kind
  readonly id: string
  readonly status: string | null
  readonly version: number | null
  readonly acknowledgedAt: Date
}

export type LoadGenerator = {
  readonly token: string
  readonly acknowledged: readonly Acknowledged[]
  /** Calls that failed after all retries. */
  readonly failures: readonly string[]
  /** Failed attempts by status; 0: no response. */
  readonly failedAttempts: ReadonlyMap<number, number>
  readonly calls: () => number
  /** The duration of every attempt, in the order in which the attempts ended. */
  readonly durationsMs: readonly number[]
  /** The duration of the longest write, including its retries. */
  readonly slowestCallMs: () => number
  stop(): Promise<void>
}

export type LoadOptions = {
  readonly address: string
  readonly token: string
  /** Iterations per second, the sum over all concurrent loops. */
  readonly perSecond: number
  readonly subscriptions: number
  /** The SDK of another version. */
  readonly sdk?: typeof Switchyard
  /** How many times a call is retried with the same idempotency key. Default: that of the SDK. */
  readonly maxRetries?: number
}

export type Recorder = {
  readonly client: Switchyard
  record(kind: Kind, object: ApiObject): void
}
type ApiObject = {
  readonly id: string
  readonly status?: string
  readonly $response: { etag: string | null }
}

const concurrency = 6

export async function startLoad(options: LoadOptions): Promise<LoadGenerator> {
  const acknowledged: Acknowledged[] = []
  const failures: string[] = []
  const failedAttempts = new Map<number, number>()
  const durationsMs: number[] = []
  const startedMs = new Map<string | null, number>()
  let [calls, slowestCallMs] = [0, 0]
  const { sdk: Sdk = Switchyard } = options
  const client = new Sdk({
    token: options.token,
    baseUrl: options.address,
    maxRetries: options.maxRetries,
    onRequest({ status, durationMs, attempt, idempotencyKey }) {
      calls += 1
      durationsMs.push(durationMs)
      const nowMs = performance.now()
      if (attempt === 1) startedMs.set(idempotencyKey, nowMs - durationMs)
      if (idempotencyKey !== null)
        slowestCallMs = Math.max(slowestCallMs, nowMs - (startedMs.get(idempotencyKey) ?? nowMs))
      if (status === null || status >= 400)
        failedAttempts.set(status ?? 0, (failedAttempts.get(status ?? 0) ?? 0) + 1)
    },
  })
  const recorder = createRecorder(client, acknowledged)
  const renew = await prepareRenewals(recorder, options.subscriptions)
  let isStopped = false
  let iterations = 0
  const repeatUntilStopped = async (iteration: (index: number) => Promise<void>, pauseMs: number) => {
    while (!isStopped) {
      const startedMs = performance.now()
      await iteration(iterations++).catch((error: Error) => failures.push(`${error.name}: ${error.message}`))
      await sleep(Math.max(5, pauseMs - (performance.now() - startedMs)))
    }
  }
  const pauseMs = (concurrency * 1000) / options.perSecond
  const loops = Array.from({ length: concurrency }, () =>
    repeatUntilStopped((index) => runIteration(recorder, index), pauseMs),
  )
  loops.push(repeatUntilStopped(renew, 1_000))

  return {
    token: options.token,
    acknowledged,
    failures,
    failedAttempts,
    durationsMs,
    calls: () => calls,
    slowestCallMs: () => slowestCallMs,
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

/** Adds each recorded object to `acknowledged`. */
export function createRecorder(client: Switchyard, acknowledged: Acknowledged[]): Recorder {
  return {
    client,
    record: (kind, { id, status = null, $response }) =>
      acknowledged.push({
        kind,
        id,
        status,
        version: parseVersion($response.etag),
        acknowledgedAt: new Date(),
      }),
  }
}

function parseVersion(etag: string | null): number | null {
  const [digits] = /\d+/.exec(etag ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** Most iterations create a payment, some also a refund, and some create and update a customer. */
async function runIteration({ client, record }: Recorder, index: number): Promise<void> {
  if (index % 5 === 4) {
    const customer = await client.customers.create({ email: `caller-${index}@example.com` })
    record('customer', customer)
    record('customer', await client.customers.update(customer.id, { name: `Caller ${index}` }))
    return
  }
  const token = await createToken(client)
  const payment = await client.payments.create({ amount: 1_000 + (index % 100), currency: 'eur', token })
  record('payment', payment)
  if (index % 3 === 0 && payment.status === 'succeeded')
    record('refund', await createDrillRefund(client, payment.id, 100))
}

async function createToken(client: Switchyard): Promise<string> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await client.tokens.create({ type: 'card', card })).id
}

/**
 * Creates subscriptions on one test clock. The returned function advances it by a month, so that all of them
 * renew.
 */
export async function prepareRenewals(
  { client, record }: Recorder,
  count: number,
): Promise<() => Promise<void>> {
  const product = await client.products.create({ name: 'Team plan' })
  const recurring = { interval: 'month' } as const
  const money = { currency: 'eur', unit_amount: 2_999 } as const
  const { id: price_id } = await client.prices.create({ product_id: product.id, ...money, recurring })
  const clock = await client.testClocks.create({ now_at: '2027-01-01T00:00:00.000Z' })
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const customer = await client.customers.create({
      email: `member-${index}@example.com`,
      test_clock_id: clock.id,
    })
    const method = await client.paymentMethods.create({ token: await createToken(client) })
    await client.paymentMethods.attach(method.id, { customer_id: customer.id })
    const subscription = await client.subscriptions.create({
      customer_id: customer.id,
      items: [{ price_id }],
    })
    ids.push(subscription.id)
    record('subscription', subscription)
  }
  return async () => {
    // An advance that takes longer than a request continues in the background.
    if ((await client.testClocks.get(clock.id)).status !== 'ready') return
    await client.testClocks.advance(clock.id, { by: 'P1M' })
    for (const id of ids) record('subscription', await client.subscriptions.get(id))
  }
}
