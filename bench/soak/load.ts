/**
 * Open-loop load: payments with saved cards at a fixed rate, whether or not earlier ones got a response; a
 * refund for every sixth payment; and subscriptions that renew on test clocks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Switchyard } from '@switchyard/sdk'
import {
  type Acknowledged,
  createRecorder,
  type Kind,
  prepareRenewals,
} from '../../packages/server/test/drills/load-generator.ts'
import { charge } from '../payer.ts'
import { requestText } from '../ratios/http-load.ts'
import { openSockets, type Sockets, type TimedResponse } from '../ratios/open-load.ts'
import type { SoakInstallation } from './installation.ts'

export type SoakLoad = {
  /** Objects that the API acknowledged. */
  readonly acknowledged: readonly Acknowledged[]
  readonly failures: readonly string[]
  /** The number of payments that were due until now, and the number that got a successful response. */
  readonly due: () => number
  readonly answered: () => number
  /** The measurements since the last call. */
  take(): { readonly latenciesMs: readonly number[]; readonly sentLateMs: readonly number[] }
  /** Stops sending, and resolves when every request has a response. */
  stop(): Promise<void>
}

const refundEvery = 6
/** The share of payments that are renewals. */
const renewedShare = 0.14
/** Each clock is advanced by a month this often. The clocks take turns. */
const clockEverySeconds = 10
const clockCount = 10

export async function startSoakLoad(installation: SoakInstallation, perSecond: number): Promise<SoakLoad> {
  const acknowledged: Acknowledged[] = []
  const failures: string[] = []
  const renewals = await prepareClocks(installation, perSecond, acknowledged)
  const sockets = openSockets(installation.bench.port)
  const shop = createShop(installation, sockets)
  let [latenciesMs, sentLateMs]: [number[], number[]] = [[], []]
  let [nth, answered, isStopped] = [0, 0, false]
  const pending = new Set<Promise<void>>()
  const track = (name: string, running: Promise<void>) => {
    const tracked = running
      .catch((error: Error) => void failures.push(`${name}: ${error.message}`))
      .finally(() => pending.delete(tracked))
    pending.add(tracked)
  }
  const record = (kind: Kind, { id }: TimedResponse) =>
    acknowledged.push({ kind, id, status: null, version: null, acknowledgedAt: new Date() })
  const pay = async (number: number, dueMs: number) => {
    const payment = await shop.pay(number)
    answered += 1
    latenciesMs.push(performance.now() - dueMs)
    record('payment', payment)
    if (number % refundEvery === 0) record('refund', await shop.refund(payment.id))
  }
  const startedMs = performance.now()
  const gapMs = 1000 / (perSecond * (1 - renewedShare))
  const sendPayments = async () => {
    for (; !isStopped; nth += 1) {
      const dueMs = startedMs + nth * gapMs
      const earlyMs = dueMs - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      sentLateMs.push(Math.max(0, performance.now() - dueMs))
      track('payment', pay(nth, dueMs))
    }
  }
  const renewRepeatedly = async (renew: () => Promise<void>, index: number) => {
    await sleep((index * clockEverySeconds * 1000) / clockCount)
    while (!isStopped) {
      const beganMs = performance.now()
      // One at a time: a clock that is advancing cannot be advanced.
      await renew().catch((error: Error) => failures.push(`renewal: ${error.message}`))
      while (!isStopped && performance.now() - beganMs < clockEverySeconds * 1000) await sleep(200)
    }
  }
  const loops = [sendPayments(), ...renewals.map(renewRepeatedly)]
  return {
    acknowledged,
    failures,
    due: () => nth,
    answered: () => answered,
    take() {
      const taken = { latenciesMs, sentLateMs }
      ;[latenciesMs, sentLateMs] = [[], []]
      return taken
    },
    async stop() {
      isStopped = true
      await Promise.all(loops)
      while (pending.size > 0) await Promise.all(pending)
      sockets.close()
    },
  }
}

/** Requests with idempotency keys: they are repeated if the server has closed an idle connection. */
function createShop({ bench, cards }: SoakInstallation, sockets: Sockets) {
  const post = (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${bench.token}`, 'idempotency-key': key }
    const request = requestText({ method: 'POST', path, headers, body: JSON.stringify(body) })
    return sockets.send(request).catch((error: Error) => {
      if (!/closed the connection|ECONNRESET|EPIPE/.test(error.message)) throw error
      return sockets.send(request)
    })
  }
  return {
    pay: (nth: number) =>
      post('/payments', `payment-${nth}`, charge({ payment_method_id: cards[nth % cards.length] ?? '' })),
    refund: (paymentId: string) =>
      post('/refunds', `refund-of-${paymentId}`, { payment_id: paymentId, amount: 100 }),
  }
}

async function prepareClocks(
  { address, bench }: SoakInstallation,
  perSecond: number,
  acknowledged: Acknowledged[],
): Promise<(() => Promise<void>)[]> {
  const client = new Switchyard({ token: bench.token, baseUrl: address })
  const perClock = Math.max(1, Math.round((perSecond * renewedShare * clockEverySeconds) / clockCount))
  const recorder = createRecorder(client, acknowledged)
  const renewals: (() => Promise<void>)[] = []
  for (let clock = 0; clock < clockCount; clock += 1) renewals.push(await prepareRenewals(recorder, perClock))
  return renewals
}
