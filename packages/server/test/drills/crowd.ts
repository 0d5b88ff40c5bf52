// Callers that use an installation while something is done to it: they pay and give back, change customers, and let
// subscriptions renew on a clock, all with the SDK. They write down every success they were told of, because that is
// what must be there afterwards.

import { setTimeout as sleep } from 'node:timers/promises'
import { Switchyard } from '@switchyard/sdk'

export const kinds = ['payment', 'refund', 'customer', 'subscription'] as const
export type Kind = (typeof kinds)[number]

/** An object as a caller was told it is. */
export type Acknowledged = {
  readonly kind: Kind
  readonly id: string
  readonly status: string | null
  readonly version: number | null
  readonly at: Date
}

export type Crowd = {
  readonly token: string
  readonly acknowledged: readonly Acknowledged[]
  /** Calls that were given up, after all their tries. */
  readonly failures: readonly string[]
  /** Tries that had no success, by their status; 0: no answer. */
  readonly unlucky: ReadonlyMap<number, number>
  readonly calls: () => number
  /** How long calls took whose every try is counted, in the order of their end. */
  readonly durationsMs: readonly number[]
  stop(): Promise<void>
}

export type CrowdOptions = {
  readonly address: string
  readonly token: string
  /** Stories a second, over all hands. */
  readonly perSecond: number
  readonly subscriptions: number
  /** Of another version, if it is not ours. */
  readonly sdk?: typeof Switchyard
}

type Hand = {
  readonly client: Switchyard
  note(kind: Kind, object: Told): void
}
type Told = { readonly id: string; readonly status?: string; readonly $response: { etag: string | null } }

const hands = 6

export async function gatherCrowd(options: CrowdOptions): Promise<Crowd> {
  const acknowledged: Acknowledged[] = []
  const failures: string[] = []
  const unlucky = new Map<number, number>()
  const durationsMs: number[] = []
  let calls = 0
  const { sdk: Sdk = Switchyard } = options
  const client = new Sdk({
    token: options.token,
    baseUrl: options.address,
    onRequest({ status, durationMs }) {
      calls += 1
      durationsMs.push(durationMs)
      if (status === null || status >= 400) unlucky.set(status ?? 0, (unlucky.get(status ?? 0) ?? 0) + 1)
    },
  })
  const hand: Hand = {
    client,
    note: (kind, { id, status = null, $response }) =>
      acknowledged.push({ kind, id, status, version: versionIn($response.etag), at: new Date() }),
  }
  const renew = await prepareRenewals(hand, options.subscriptions)
  let isOver = false
  let told = 0
  const live = async (story: (nth: number) => Promise<void>, pauseMs: number) => {
    while (!isOver) {
      const startedMs = performance.now()
      await story(told++).catch((error: Error) => failures.push(`${error.name}: ${error.message}`))
      await sleep(Math.max(5, pauseMs - (performance.now() - startedMs)))
    }
  }
  const pauseMs = (hands * 1000) / options.perSecond
  const living = Array.from({ length: hands }, () => live((nth) => tell(hand, nth), pauseMs))
  living.push(live(renew, 1_000))

  return {
    ...{ token: options.token, acknowledged, failures, unlucky, durationsMs, calls: () => calls },
    async stop() {
      isOver = true
      await Promise.all(living)
    },
  }
}

function versionIn(etag: string | null): number | null {
  const [digits] = /\d+/.exec(etag ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** Most pay; some give a part of it back; some do something else. */
async function tell({ client, note }: Hand, nth: number): Promise<void> {
  if (nth % 5 === 4) {
    const customer = await client.customers.create({ email: `caller-${nth}@example.com` })
    note('customer', customer)
    note('customer', await client.customers.update(customer.id, { name: `Caller ${nth}` }))
    return
  }
  const token = await aCard(client)
  const payment = await client.payments.create({ amount: 1_000 + (nth % 100), currency: 'eur', token })
  note('payment', payment)
  if (nth % 3 === 0 && payment.status === 'succeeded')
    note('refund', await client.refunds.create({ payment_id: payment.id, amount: 100 }))
}

async function aCard(client: Switchyard): Promise<string> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await client.tokens.create({ type: 'card', card })).id
}

/** Subscriptions on one clock; each call of what it gives lets a month pass, and all of them renew. */
async function prepareRenewals({ client, note }: Hand, count: number): Promise<() => Promise<void>> {
  const product = await client.products.create({ name: 'Team plan' })
  const recurring = { interval: 'month' } as const
  const money = { currency: 'eur', unit_amount: 2_999 } as const
  const { id: price_id } = await client.prices.create({ product_id: product.id, ...money, recurring })
  const clock = await client.testClocks.create({ now_at: '2027-01-01T00:00:00.000Z' })
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const customer = await client.customers.create({
      email: `member-${nth}@example.com`,
      test_clock_id: clock.id,
    })
    const method = await client.paymentMethods.create({ token: await aCard(client) })
    await client.paymentMethods.attach(method.id, { customer_id: customer.id })
    const made = await client.subscriptions.create({ customer_id: customer.id, items: [{ price_id }] })
    ids.push(made.id)
    note('subscription', made)
  }
  return async () => {
    // A month that takes longer than a request may goes on by itself.
    if ((await client.testClocks.get(clock.id)).status !== 'ready') return
    await client.testClocks.advance(clock.id, { by: 'P1M' })
    for (const id of ids) note('subscription', await client.subscriptions.get(id))
  }
}
