// Cuts without the app: the performer of the server calls an emulated provider through the proxy, one call is cut, and
// the operation is resolved as the server does, by the same request or by a lookup. Without a database this takes some
// milliseconds per cut, so every byte of every response can be cut. `cut-cases.ts` tests the app as a whole.

import { cardsOf, emulatedCards } from '../../../../scripts/provider-smoke/cards.ts'
import { startEmulator } from '../../../../scripts/provider-smoke/emulator.ts'
import {
  complete,
  lookUp,
  type RequestedOperation,
  repeat,
  type Sent,
  type Smoke,
  send,
} from '../../../../scripts/provider-smoke/operations.ts'
import type { Payer } from '../../../../scripts/provider-smoke/payer.ts'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import { type Simulator, startSimulator } from '../../../simulator/src/index.ts'
import { createLog } from '../../src/platform/log.ts'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import { createOutbound } from '../../src/platform/outbound/client.ts'
import { connectors } from '../../src/providers/connectors.ts'
import type { EarlierOperation, Found, Instrument, Provider } from '../../src/providers/contract.ts'
import { simulator as protocol } from '../../src/providers/custom/provider.ts'
import type { NotSent } from '../../src/providers/evidence.ts'
import { createPerformer } from '../../src/providers/perform.ts'
import { termsOf } from '../../src/providers/terms.ts'
import type { LedgerTotals } from '../support/simulator-ledger.ts'
import type { CaseResult, CutCase, CutProvider, CutResult } from './cut-cases.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import { concurrency } from './installation.ts'
import { type CutStep, createPlannedCuts, type PlannedCuts } from './planned-cuts.ts'

type Outcome = Found | NotSent

type Bench = {
  readonly smoke: Smoke
  readonly simulator: Simulator
  readonly proxy: CutProxy
  readonly cuts: PlannedCuts
  close(): Promise<void>
}

const returnUrl = 'https://shop.example.com/return'

/** The payer approves: the page of the emulated bank needs no click, and redirects to the return URL. */
const payer: Payer = {
  returnUrl,
  async complete(action) {
    for (let url = action.url; ; ) {
      const location = (await openPage(url)).headers.get('location')
      if (location === null) throw new Error('The page of the bank did not return the payer.')
      if (location.startsWith(returnUrl)) return Object.fromEntries(new URL(location).searchParams)
      url = new URL(location, url).href
    }
  },
  close: async () => {},
}

/** If the connection is closed, the payer's browser opens the page again. */
async function openPage(url: string): Promise<Response> {
  const open = () => fetch(url, { redirect: 'manual' })
  return open().catch(open)
}

const accountName = 'cuts'
const secret = 'psec_0123456789abcdefghij'

/** The protocol of custom providers has no setup, so its account is configured here. */
async function startProtocol() {
  const simulator = await startSimulator({
    accounts: [{ name: accountName, secrets: [secret], challenge: 'auto', webhooks: 'off' }],
  })
  const config = { base_url: `${simulator.url}/${accountName}`, secrets: [secret], webhooks: 'off' }
  return { simulator, config, cards: cardsOf(emulatedCards.adyen) }
}

async function startConnector(id: string) {
  const provider = connectors.find((connector) => connector.id === id)
  if (provider?.setup === undefined) throw new Error(`There is no connector called ${id}.`)
  const { simulator, account } = await startEmulator(provider, provider.setup)
  return { simulator, config: account.config, cards: account.cards }
}

async function openBench({ id }: CutProvider): Promise<Bench> {
  const { simulator, config, cards } = await (id === protocol.id ? startProtocol() : startConnector(id))
  const provider = [...connectors, protocol].find((one) => one.id === id) as Provider
  const proxy = await startCutProxy(simulator.url)
  const cuts = createPlannedCuts((name) => proxy.applied.has(name))
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, simulatorUrl: proxy.url })
  const throughProxy = { ...config, base_url: config.base_url.replace(simulator.url, proxy.url) }
  const performer = cuts.wrapPerformer(
    createPerformer({
      sender: cuts.wrapSender(outbound),
      log: createLog('silent'),
      hashKey: Buffer.alloc(32),
    }),
  )
  const smoke = {
    provider,
    account: { id: accountName, mode: 'test', config: throughProxy },
    terms: termsOf(provider, throughProxy),
    performer,
    cards,
    currency: 'eur',
    payer,
  } as const
  return {
    smoke,
    simulator,
    proxy,
    cuts,
    async close() {
      await Promise.all([outbound.close(), proxy.stop()])
      await simulator.stop()
    },
  }
}

/** The number of cases that share an emulator. A higher number would only use more memory. */
const casesPerBench = 2_000

export async function runCallCases(
  provider: CutProvider,
  cases: readonly CutCase[],
): Promise<readonly CutResult[]> {
  const results: CutResult[] = []
  for (let from = 0; from < cases.length; from += casesPerBench) {
    const bench = await openBench(provider)
    results.push(...(await runCasesOf(bench, cases.slice(from, from + casesPerBench))))
    await bench.close()
  }
  return results
}

type StartedCase = CutCase & { readonly amount: number; readonly name: string; readonly sent: Sent }
type FinishedCase = StartedCase & { readonly cutOutcome: Outcome; readonly outcome: Outcome }

/** Seconds after which pending results of emulators are known, and searches find new payments. */
const pendingSeconds = 120

async function runCasesOf(bench: Bench, cases: readonly CutCase[]): Promise<readonly CutResult[]> {
  const { simulator } = bench
  const letTimePass = () => simulator.control('POST', 'time', { advance_ms: pendingSeconds * 1_000 })
  // Each amount is used once, because it identifies the payment.
  const planned = cases.map((next, index) => ({ ...next, amount: 1_000 + index }))
  const started = await mapConcurrently(concurrency, planned, (next) => startCase(bench, next))
  await letTimePass()
  const finished = await mapConcurrently(concurrency, started, (next) => finishCase(bench, next))
  await letTimePass()
  const { sums } = await simulator.control<{ sums: (LedgerTotals & { payment_id: string })[] }>('GET', 'sums')
  const totals = new Map(sums.map((sum) => [sum.payment_id, sum]))
  return finished.map((one) => resultOf(bench, one, totals.get(one.sent.input.paymentId)))
}

/** The scenario of a payment that is pending for some seconds. */
const pendingScenario = '5016'

/**
 * A payment can be looked up by the provider's id only while it is pending: afterwards it may have a different id.
 */
function instrumentFor({ cards, terms }: Smoke, step: CutStep): Instrument {
  if (step === 'complete') return cards.take('challenged')
  const card = cards.take('approved')
  if (step !== 'lookup' || terms.resolve.lookup !== 'provider_id') return card
  return card.type === 'token'
    ? { type: 'token', token: `tkn_sim_${pendingScenario}` }
    : { ...card, number: cardNumberForScenario(pendingScenario) }
}

/** Sends the authorization, which is the call that is cut, or its parent. */
async function startCase(bench: Bench, next: CutCase & { readonly amount: number }): Promise<StartedCase> {
  const { smoke, cuts } = bench
  const { step, cut, amount } = next
  const name = cuts.plan(amount, { step, cut, losesAuthorizations: false })
  const isChallenged = step === 'complete'
  const requested: RequestedOperation = {
    kind: 'authorize',
    amount: BigInt(amount),
    capture: step !== 'capture' && step !== 'void',
    instrument: instrumentFor(smoke, step),
    ...(isChallenged ? { threeDSecure: 'required' } : {}),
  }
  const sent = await send(smoke, requested)
  if (step === 'authorize') return { ...next, name, sent }
  return { ...next, name, sent: { ...sent, first: await untilKnown(() => repeat(smoke, sent), sent.first) } }
}

const isOpen = ({ is }: Outcome) => is === 'unknown' || is === 'not_sent' || is === 'absent'

/** Another call may also fail: on a busy machine, connections time out. The server would repeat it as well. */
async function untilKnown(makeAgain: () => Promise<Outcome>, first: Outcome): Promise<Outcome> {
  let outcome = first
  for (let repeats = 0; isOpen(outcome) && repeats < 10; repeats += 1) outcome = await makeAgain()
  return outcome
}

/** Makes the call that is cut, unless that was the authorization, and repeats it if its outcome is unknown. */
async function finishCase({ smoke }: Bench, started: StartedCase): Promise<FinishedCase> {
  const { step, sent, amount } = started
  const finish = async (make: () => Promise<Outcome>, makeAgain = make) => {
    const cutOutcome = await make()
    return { ...started, cutOutcome, outcome: await untilKnown(makeAgain, cutOutcome) }
  }
  if (step === 'authorize')
    return finish(
      async () => sent.first,
      () => resolve(smoke, sent),
    )
  if (step === 'lookup') return finish(() => lookUp(smoke, sent, lookupReference(smoke, sent)))
  if (step === 'complete') {
    const { first } = sent
    if (first.is !== 'action') throw new Error(`The payer should act, but the outcome is ${first.is}.`)
    const returnParams = await smoke.payer.complete(first.action)
    return finish(() => complete(smoke, sent, { ref: first.ref, returnParams }))
  }
  const modification = { kind: step, amount: BigInt(amount), parent: parentOf(sent) }
  const modified = await send(smoke, modification)
  return finish(
    async () => modified.first,
    () => resolve(smoke, modified),
  )
}

const refIn = (outcome: Outcome) => ('ref' in outcome ? (outcome.ref ?? null) : null)

function parentOf({ input, first }: Sent): EarlierOperation {
  const providerReference = refIn(first)
  if (providerReference === null) throw new Error(`The authorization is ${first.is}.`)
  return { reference: input.reference, providerReference }
}

function lookupReference({ terms }: Smoke, { first }: Sent): string | null {
  return terms.resolve.lookup === 'reference' ? null : refIn(first)
}

/** Every emulated provider recognizes a repeated request. A void may be confirmed without its details. */
async function resolve(smoke: Smoke, sent: Sent): Promise<Outcome> {
  const outcome = await repeat(smoke, sent)
  const ref = refIn(outcome)
  return outcome.is === 'unknown' && ref !== null ? lookUp(smoke, sent, ref) : outcome
}

const noTotals: LedgerTotals = { approvals: 0, authorized: 0, captured: 0, voided: 0, refunded: 0 }

function resultOf({ proxy }: Bench, one: FinishedCase, totals: LedgerTotals = noTotals): CutResult {
  const { step, cut, name, sent, cutOutcome, outcome } = one
  const responseBytes = proxy.applied.get(name)
  return {
    step,
    cut,
    paymentId: sent.input.paymentId,
    result: classify(one, totals),
    responseBytes: responseBytes ?? 0,
    wasCut: responseBytes !== undefined,
    details: `${cutOutcome.is}, then ${outcome.is} ${JSON.stringify(totals)}`,
  }
}

/** A cut may hide a result, but must not change it. */
function classify({ step, amount, cutOutcome, outcome }: FinishedCase, totals: LedgerTotals): CaseResult {
  const { approvals, authorized, captured, voided, refunded } = totals
  if (approvals > 1 || [authorized, captured, voided, refunded].some((total) => total > amount))
    return 'double_charge'
  const isKnown = (is: Outcome['is']) => is === 'succeeded' || is === 'pending'
  const isHonest = isKnown(cutOutcome.is) || isOpen(cutOutcome)
  if (!isHonest || !isKnown(outcome.is)) return 'lost'
  return isInLedger(step, amount, totals) ? 'succeeded' : 'lost'
}

function isInLedger(step: CutStep, amount: number, { captured, voided, refunded }: LedgerTotals): boolean {
  if (step === 'void') return voided === amount && captured === 0
  return captured === amount && refunded === (step === 'refund' ? amount : 0)
}
