/** The steps of the smoke test, in order. Amounts are minor units. */
import { monotonicMs } from '../../packages/server/src/kernel/clock.ts'
import type { OutboundReply } from '../../packages/server/src/platform/outbound/outbound.ts'
import type { Found } from '../../packages/server/src/providers/contract.ts'
import { type NotSent, resultOf } from '../../packages/server/src/providers/evidence.ts'
import {
  close,
  type Done,
  described,
  doneOf,
  execute,
  finish,
  lookUp,
  pollUntil,
  type RequestedOperation,
  referenceOf,
  repeat,
  type Sent,
  type Smoke,
  send,
} from './operations.ts'
import { type Report, SmokeFault } from './report.ts'
import type { Wire } from './wire.ts'

const paymentAmount = 1000n
const captureAmount = 600n
const refundAmount = 300n
const lostRefundAmount = 100n

type Detailed = { readonly detail: string }

export async function runSteps(smoke: Smoke, { step }: Report, wire: Wire): Promise<void> {
  const missing = unsupportedSteps(smoke)
  await step('credentials', () => checkCredentials(smoke))

  const charge = await step('authorize and capture', () => execute(smoke, paymentWith(smoke)))
  await step('replay', () => replay(smoke, requireEarlier(charge)), missing.replay)
  // Before a refund changes the status of the payment.
  await step('lookup by our reference', () => find(smoke, charge, null), missing.lookupByReference)
  const refund = await step(
    'partial refund',
    () => execute(smoke, refundOf(charge, refundAmount)),
    missing.refund,
  )
  const refundRef = refund?.result.ref ?? null
  await step('lookup by the provider’s reference', () => find(smoke, refund, refundRef), missing.lookup)
  await step('manual authorization, partial capture', () => capture(smoke), missing.capture)
  await step('void', () => voidAuthorization(smoke), missing.void)
  await step('decline', () => decline(smoke))
  await step('3-D Secure', () => authenticate(smoke), missing.complete)
  await step('close', () => closeOpenPayment(smoke), missing.close)
  await step(
    'lost response to a payment',
    () => resolveLost(smoke, wire, paymentWith(smoke)),
    missing.lostResponse,
  )
  await step(
    'lost response to a refund',
    () => resolveLost(smoke, wire, refundOf(charge, lostRefundAmount)),
    missing.refund ?? missing.lostResponse,
  )
}

/** Why a step is not supported; null if it is. */
function unsupportedSteps({ provider, terms: { capabilities, resolve } }: Smoke) {
  const { kinds, manualCapture, partialRefund } = capabilities
  const unless = (isSupported: boolean, reason: string) => (isSupported ? null : reason)
  return {
    replay: unless(resolve.replayHours > 0, 'the connector never repeats a request'),
    lookupByReference: unless(resolve.lookup === 'reference', 'the provider cannot search for our reference'),
    refund: unless(partialRefund && kinds.includes('refund'), 'the connector has no partial refunds'),
    lookup: unless(resolve.lookup !== 'none', 'the provider has no lookup'),
    capture: unless(manualCapture && kinds.includes('capture'), 'the connector has no manual capture'),
    void: unless(manualCapture && kinds.includes('void'), 'the connector has no voids'),
    complete: unless(provider.complete !== undefined, 'the connector has no 3-D Secure'),
    close: unless(resolve.close, 'the provider cannot close an open payment'),
    lostResponse: unless(
      resolve.replayHours > 0 || resolve.lookup === 'reference',
      'only a webhook reports the result',
    ),
  }
}

function requireEarlier(done: Done | null): Done {
  if (done === null) throw new SmokeFault('An earlier step that it depends on has failed.')
  return done
}

function paymentWith({ cards }: Smoke, changes: Partial<RequestedOperation> = {}): RequestedOperation {
  const instrument = changes.instrument ?? cards.take('approved')
  return { kind: 'authorize', amount: paymentAmount, capture: true, ...changes, instrument }
}

function refundOf(charge: Done | null, amount: bigint): RequestedOperation {
  return { kind: 'refund', amount, parent: referenceOf(requireEarlier(charge)) }
}

async function checkCredentials({ provider, account, performer }: Smoke): Promise<Detailed> {
  if (provider.check === undefined) return { detail: 'the connector has no check' }
  const deadlineMs = monotonicMs() + 15_000
  const { ok, detail } = await performer.check({ provider, account, step: 'check', input: null, deadlineMs })
  if (!ok) throw new SmokeFault(detail)
  return { detail }
}

/** A repeated request returns the response of the first request, so it is about the same payment. */
async function replay(smoke: Smoke, charge: Done): Promise<Detailed> {
  const { first } = charge
  const outcome = await repeat(smoke, charge)
  if (outcome.is !== first.is || refIn(outcome) !== refIn(first))
    throw new SmokeFault(`The first response was: ${described(first)}. The second: ${described(outcome)}`)
  return { detail: `the same result: ${described(outcome)}` }
}

const refIn = (outcome: Found | NotSent) => ('ref' in outcome ? outcome.ref : null)

/** Polls, because a new payment may not be searchable immediately. */
async function find(smoke: Smoke, done: Done | null, providerReference: string | null): Promise<Detailed> {
  const { result, ...sent } = requireEarlier(done)
  const found = await pollUntil(
    () => lookUp(smoke, sent, providerReference),
    ({ is }) => is !== 'absent',
  )
  const isFound = found.is === 'succeeded' || found.is === 'pending'
  if (!isFound || found.ref !== result.ref)
    throw new SmokeFault(`Expected: ${described(result)}. Found: ${described(found)}`)
  return { detail: described(found) }
}

async function capture(smoke: Smoke): Promise<Done> {
  const authorization = await execute(smoke, paymentWith(smoke, { capture: false }))
  return execute(smoke, { kind: 'capture', amount: captureAmount, parent: referenceOf(authorization) })
}

async function voidAuthorization(smoke: Smoke): Promise<Done> {
  const authorization = await execute(smoke, paymentWith(smoke, { capture: false }))
  return execute(smoke, { kind: 'void', amount: paymentAmount, parent: referenceOf(authorization) })
}

async function decline(smoke: Smoke): Promise<Detailed> {
  const sent = await send(smoke, paymentWith(smoke, { instrument: smoke.cards.take('declined') }))
  const outcome = await finish(smoke, sent, sent.first)
  if (outcome.is !== 'declined') throw new SmokeFault(`Expected a decline: ${described(outcome)}`)
  return { detail: described(outcome) }
}

async function sendChallenged(smoke: Smoke): Promise<Sent & { readonly ref: string }> {
  const instrument = smoke.cards.take('challenged')
  const sent = await send(smoke, paymentWith(smoke, { instrument, threeDSecure: 'required' }))
  if (sent.first.is !== 'action') throw new SmokeFault(`Expected a payer action: ${described(sent.first)}`)
  return { ...sent, ref: sent.first.ref }
}

async function authenticate(smoke: Smoke): Promise<Done> {
  const sent = await sendChallenged(smoke)
  return doneOf(sent, await finish(smoke, sent, sent.first))
}

async function closeOpenPayment(smoke: Smoke): Promise<Detailed> {
  const sent = await sendChallenged(smoke)
  const found = await close(smoke, sent, sent.ref)
  if (found.is !== 'closed') throw new SmokeFault(`Expected a closed payment: ${described(found)}`)
  return { detail: described(found) }
}

/**
 * Drops the response. The connector must then find the same operation by replay or lookup: a different one
 * would be a second charge.
 */
async function resolveLost(smoke: Smoke, wire: Wire, requested: RequestedOperation): Promise<Detailed> {
  const { result: sent, lost } = await wire.withLostResponse(() => send(smoke, requested))
  if (sent.first.is !== 'unknown')
    throw new SmokeFault(`A lost response must be unknown: ${described(sent.first)}`)
  const processed = outcomeIn(smoke, sent, lost)
  const isReplayed = smoke.terms.resolve.replayHours > 0
  const outcome = isReplayed
    ? await repeat(smoke, sent)
    : await pollUntil(() => lookUp(smoke, sent, null), isKnown)
  if (refIn(outcome) !== refIn(processed))
    throw new SmokeFault(`The lost response was: ${described(processed)}. Found: ${described(outcome)}`)
  const { detail } = doneOf(sent, await finish(smoke, sent, outcome))
  return { detail: `found by ${isReplayed ? 'replay' : 'lookup'}: ${detail}` }
}

/** What the connector reads from the response that was dropped. */
function outcomeIn({ provider }: Smoke, { input }: Sent, reply: OutboundReply | null): Found | NotSent {
  const result = reply === null ? null : resultOf(reply)
  if (result?.is !== 'answer') throw new SmokeFault('There was no response that could be dropped.')
  const outcome = provider.operations[input.kind]?.parse(result.reply, input)
  if (outcome === undefined) throw new SmokeFault(`The connector has no ${input.kind}.`)
  return outcome
}

const isKnown = ({ is }: Found | NotSent) => is !== 'absent' && is !== 'unknown'
