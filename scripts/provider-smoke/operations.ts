/**
 * Performs operations as the server does: with the connector's own `build` and `parse`, through the performer. A payer
 * action is completed, and a pending operation is looked up until it ends.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime, monotonicMs } from '../../packages/server/src/kernel/clock.ts'
import type { Currency } from '../../packages/server/src/kernel/currency.ts'
import { money } from '../../packages/server/src/kernel/money.ts'
import type {
  Device,
  EarlierOperation,
  Found,
  Instrument,
  LookupInput,
  OperationInput,
  OperationKind,
  Outcome,
  Provider,
  Terms,
} from '../../packages/server/src/providers/contract.ts'
import type { NotSent } from '../../packages/server/src/providers/evidence.ts'
import type { Performer, StepName, Task } from '../../packages/server/src/providers/perform.ts'
import type { Cards } from './cards.ts'
import type { Payer } from './payer.ts'
import { SmokeFault } from './report.ts'

export type Smoke = {
  readonly provider: Provider
  readonly account: Task<StepName>['account']
  readonly terms: Terms
  readonly performer: Performer
  readonly cards: Cards
  readonly currency: string
  readonly payer: Payer
}

type Succeeded = Extract<Outcome, { is: 'succeeded' }>
type Pending = Extract<Outcome, { is: 'pending' }>
type Result = Found | NotSent

/** An operation that was sent, and the first response. */
export type Sent = {
  readonly input: OperationInput
  readonly createdAt: Date
  /** The hash of the request, with which a repeat is compared. */
  readonly hash: string
  readonly first: Result
}

/** An operation that the provider has processed or accepted, with one line about the result. */
export type Done = Sent & { readonly result: Succeeded | Pending; readonly detail: string }

const callMs = 70_000
/** How long a pending operation is looked up. Some test environments process refunds only on the next day. */
const pendingMs = 60_000
const pollMs = 2_000

export type RequestedOperation = {
  readonly kind: OperationKind
  readonly amount: bigint
  readonly instrument?: Instrument
  readonly capture?: boolean
  readonly parent?: EarlierOperation
  readonly threeDSecure?: 'required'
}

/** A browser, which providers require for 3-D Secure. The address is reserved for documentation. */
const device: Device = {
  ip: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  acceptHeader: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  language: 'en-GB',
  colorDepth: 24,
  screenWidth: 1920,
  screenHeight: 1080,
  timeZoneOffsetMinutes: 0,
  javaEnabled: false,
}

function inputOf({ payer, currency }: Smoke, requested: RequestedOperation): OperationInput {
  const { kind, amount, instrument = null, capture = false, parent = null } = requested
  const reference = `smoke-${randomBytes(10).toString('hex')}`
  return {
    kind,
    reference,
    parent,
    captures: [],
    mode: 'test',
    money: money(amount, currency as Currency),
    capture,
    final: true,
    initiator: 'customer',
    storedCredential: { use: 'none', networkTransactionId: null },
    instrument,
    paymentId: parent?.reference ?? reference,
    returnUrl: instrument === null ? null : payer.returnUrl,
    threeDSecure: requested.threeDSecure ?? 'auto',
    customer: null,
    device: instrument === null ? null : device,
    billing: null,
    statementDescriptor: null,
    description: 'Switchyard smoke test',
    metadata: {},
  }
}

/** Sends the first request of an operation. */
export async function send(smoke: Smoke, requested: RequestedOperation): Promise<Sent> {
  const { provider, account, performer } = smoke
  const input = inputOf(smoke, requested)
  const createdAt = machineTime()
  const hash = performer.hashOf({ provider, account, step: input.kind, input })
  return { input, createdAt, hash, first: await perform(smoke, input.kind, input, { isFirst: true }) }
}

/** Sends the same request again. */
export function repeat(smoke: Smoke, { input, hash }: Sent): Promise<Result> {
  return perform(smoke, input.kind, input, { repeatOf: hash })
}

/** Looks an operation up by the reference of the provider, or by ours if that is null. */
export function lookUp(smoke: Smoke, sent: Sent, providerReference: string | null): Promise<Result> {
  return perform(smoke, 'lookup', lookupOf(sent, providerReference))
}

export function close(smoke: Smoke, sent: Sent, providerReference: string): Promise<Result> {
  return perform(smoke, 'close', lookupOf(sent, providerReference))
}

async function perform<Name extends StepName>(
  { performer, provider, account }: Smoke,
  step: Name,
  input: Task<Name>['input'],
  options: Pick<Task<Name>, 'isFirst' | 'repeatOf'> = {},
): Promise<Result> {
  const deadlineMs = monotonicMs() + callMs
  const { outcome, differs } = await performer.perform({
    provider,
    account,
    step,
    input,
    deadlineMs,
    ...options,
  })
  if (differs) throw new SmokeFault(`The provider reports a different amount: ${described(outcome)}`)
  return outcome
}

function lookupOf({ input, createdAt }: Sent, providerReference: string | null): LookupInput {
  const { kind, reference, parent, captures, mode, money: amount, capture } = input
  return { kind, reference, parent, captures, mode, money: amount, capture, providerReference, createdAt }
}

/** Sends an operation, which must succeed. A capture, void or refund may also be accepted for later. */
export async function execute(smoke: Smoke, requested: RequestedOperation): Promise<Done> {
  const sent = await send(smoke, requested)
  return doneOf(sent, await finish(smoke, sent, sent.first))
}

export function doneOf(sent: Sent, result: Result): Done {
  const isAccepted = result.is === 'pending' && sent.input.instrument === null
  if (result.is !== 'succeeded' && !isAccepted)
    throw new SmokeFault(`Expected a success: ${described(result)}`)
  return { ...sent, result, detail: described(result) }
}

/** Waits until an operation that the provider has responded to is final. */
export async function finish(smoke: Smoke, sent: Sent, outcome: Result): Promise<Result> {
  if (outcome.is === 'action') return finish(smoke, sent, await completeAction(smoke, sent, outcome))
  const canLookUp = smoke.terms.resolve.lookup !== 'none'
  // Without a lookup, only a webhook reports the result.
  if (!canLookUp || !('ref' in outcome) || outcome.ref === undefined) return outcome
  const { ref } = outcome
  // A response may confirm the request without its details.
  if (outcome.is === 'unknown') return lookUp(smoke, sent, ref)
  if (outcome.is !== 'pending') return outcome
  return pollUntil(
    () => lookUp(smoke, sent, ref),
    ({ is }) => is !== 'pending',
  )
}

async function completeAction(
  smoke: Smoke,
  sent: Sent,
  { ref, action }: Extract<Outcome, { is: 'action' }>,
): Promise<Result> {
  if (smoke.provider.complete === undefined)
    throw new SmokeFault('The payer must act, but the connector cannot complete the payment.')
  return complete(smoke, sent, { ref, returnParams: await smoke.payer.complete(action) })
}

/** Makes the call with which the server completes a payment when the payer has returned. */
export function complete(
  smoke: Smoke,
  sent: Sent,
  { ref, returnParams }: { readonly ref: string; readonly returnParams: Readonly<Record<string, string>> },
): Promise<Result> {
  return perform(smoke, 'complete', { ...lookupOf(sent, ref), returnParams })
}

/** Repeats the lookup until it has a result, or until the timeout. */
export async function pollUntil(
  look: () => Promise<Result>,
  isDone: (found: Result) => boolean,
): Promise<Result> {
  const untilMs = monotonicMs() + pendingMs
  for (;;) {
    const found = await look()
    if (isDone(found) || monotonicMs() > untilMs) return found
    await sleep(pollMs)
  }
}

export function referenceOf({ input, result }: Done): EarlierOperation {
  return { reference: input.reference, providerReference: result.ref }
}

/** One line about an outcome. */
export function described(outcome: Result): string {
  switch (outcome.is) {
    case 'succeeded':
      return `${outcome.money.amount} ${outcome.money.currency}, ${outcome.ref}`
    case 'pending':
      return `accepted, ${outcome.ref}; the result follows`
    case 'action':
      return `the payer must act, ${outcome.ref}`
    case 'declined':
      return `declined, ${outcome.decline.code}`
    case 'absent':
    case 'closed':
      return outcome.is
    default:
      return `${outcome.is}, ${outcome.fault.code}: ${outcome.fault.message}`
  }
}
