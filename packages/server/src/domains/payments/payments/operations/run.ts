/**
 * Runs the operations of a payment: sends one, records its result, and continues with the next. If the
 * process crashes at any point, the resolver continues when the lease of the operation has expired.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { idFromUuid, type Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import {
  continueRequest,
  type KeyLease,
  runResumable,
  transactAfterCall,
} from '../../../../platform/db/resumable.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { CancellableSleep, withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { deleteCvc } from '../../card-tokens/service.ts'
import type { ChargedMethod } from '../../payment-methods/service.ts'
import type { Observation } from '../observation.ts'
import type { Operation, Payment } from '../payment.ts'
import { findPayment, lockPayment } from '../store/payments.ts'
import { findRefund, refundWithPayment } from '../store/refunds.ts'
import { currentProgress, type Progress } from './progress.ts'
import { type LockedPayment, lockWithOperations, recordResult } from './record-result.ts'
import { sendOperation, usesCard } from './send.ts'

/**
 * Writes the first operation with `begin`, sends it and the operations that follow from its result, and
 * returns the state of the payment at the time limit or when nothing is left to send.
 */
export async function runInRequest(
  deps: Deps,
  caller: Caller,
  subject: 'payment' | 'refund',
  begin: (tx: Tx) => Promise<Progress>,
): Promise<Progress> {
  const startedMs = monotonicMs()
  return runResumable(deps, caller, begin, async (request) => {
    const { keyLease } = request
    if (request.status === 'begun')
      return runWithinLimit(deps, caller, { keyLease, progress: request.result, startedMs })
    // An earlier request with the same idempotency key started this operation. Wait for its result.
    const id = idFromUuid(subject, caller.mode, request.subjectUuid)
    await waitForOutcome(deps, caller, id, startedMs + deps.limits.requestMs)
    return respondWithCurrentState(deps, caller, keyLease, id)
  })
}

const pollMs = 200

/** Waits until the payment or refund has an outcome, or until the time limit. */
async function waitForOutcome(
  deps: Deps,
  caller: Caller,
  subject: Progress['id'],
  untilMs: number,
): Promise<void> {
  const sleeper = new CancellableSleep()
  const hasOutcome = () =>
    read(deps, caller, async (view) =>
      isRefund(subject)
        ? (await findRefund(view, subject)).status !== 'pending'
        : (await findPayment(view, subject)).status !== 'processing',
    )
  while (!(await hasOutcome()) && monotonicMs() < untilMs) await sleeper.sleep(pollMs)
}

const isRefund = (subject: Progress['id']) => subject.startsWith('refund_')

type RequestRun = { readonly keyLease: KeyLease; readonly progress: Progress; readonly startedMs: number }

/** Calls that exceed the time limit continue in the background. */
async function runWithinLimit(
  deps: Deps,
  caller: Caller,
  { keyLease, progress, startedMs }: RequestRun,
): Promise<Progress> {
  const { id: subject, payment, next: first, charged = null } = progress
  if (first === null) return respondWithCurrentState(deps, caller, keyLease, subject)
  const untilMs = startedMs + deps.limits.requestMs
  const observe = async (step: Step): Promise<Observation | null> => {
    crashpoint('payment.intended')
    const sending = sendOperation(deps, caller, step.operation, step.sinceMs, step)
    const leftMs = Math.max(0, untilMs - monotonicMs())
    const observation = await withTimeout<Observation | null>(leftMs, sending, null)
    if (observation === null) finishInBackground(deps, caller, step.operation, sending)
    else crashpoint('payment.answered')
    return observation
  }
  const record = async ({ operation }: Step, observation: Observation): Promise<Progress> => {
    const updated = await continueRequest(
      deps,
      caller,
      keyLease,
      async (tx, locked: Promise<LockedPayment>) =>
        recordResult(deps, tx, await locked, operation.id, observation),
      ({ next }) => next === null,
      (view) => lockWithOperations(view, operation.paymentId),
    )
    crashpoint('payment.recorded')
    return updated
  }
  const latest = await run({ operation: first, payment, charged, sinceMs: startedMs }, { observe, record })
  if (latest === null) return respondWithCurrentState(deps, caller, keyLease, subject)
  if (usesCard(first)) deleteCvcIfUnused(deps, caller, latest.payment)
  return latest
}

type Step = {
  readonly operation: Operation
  /** The payment, if it was just written; null if it must be read. */
  readonly payment: Payment | null
  /** The saved payment method that is charged; null if there is none, or it must be read. */
  readonly charged: ChargedMethod | null
  /** A time before the lease of the operation was written. The deadline of the call counts from here. */
  readonly sinceMs: number
}

type Runner = {
  /** Returns null to stop, if the result is recorded elsewhere. */
  readonly observe: (step: Step) => Promise<Observation | null>
  readonly record: (step: Step, observation: Observation) => Promise<Progress>
}

/**
 * The loop of every payment: gets the result of an operation, records it, and continues with the next
 * operation. Returns null if `observe` has stopped the loop.
 */
async function run(first: Step, { observe, record }: Runner): Promise<Progress | null> {
  let step = first
  while (true) {
    const observation = await observe(step)
    if (observation === null) return null
    const sinceMs = monotonicMs()
    const progress = await record(step, observation)
    if (progress.next === null) return progress
    step = { operation: progress.next, payment: progress.payment, charged: step.charged, sinceMs }
  }
}

/** Deletes the CVC once no attempt can use it. */
function deleteCvcIfUnused(deps: Deps, { workspaceId }: Caller, payment: Payment): void {
  const { status, vaultCardUuid, tokenId } = payment
  // The CVC of a saved card was deleted when the card was verified.
  if (vaultCardUuid === null || tokenId === null) return
  if (status === 'processing' || status === 'requires_action') return
  deps.runInBackground(deleteCvc(deps, workspaceId, vaultCardUuid))
}

/**
 * The API response was already sent. If this process crashes, the lease expires and the resolver continues.
 */
function finishInBackground(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  sending: Promise<Observation>,
): void {
  const ref = { workspaceId: caller.workspaceId, id: operation.paymentId }
  deps.runInBackground(continueInBackground(deps, ref, operation, { observe: () => sending }))
}

function respondWithCurrentState(
  deps: Deps,
  caller: Caller,
  keyLease: KeyLease,
  subject: Progress['id'],
): Promise<Progress> {
  const load = async (tx: Tx): Promise<Progress> => {
    if (isRefund(subject)) {
      const { refund, payment } = await refundWithPayment(tx, subject)
      return { id: subject, payment, next: null, refund }
    }
    return currentProgress(tx, await lockPayment(tx, subject))
  }
  return continueRequest(deps, caller, keyLease, load, () => true)
}

/**
 * Sends the next operation of a payment, and the operations that follow from its result, while no client
 * waits for a response. An example is an attempt at the next account after a provider event. If this process
 * crashes, the resolver continues.
 */
export async function runInBackground(
  deps: Deps,
  ref: Ref<'payment'>,
  { next }: Pick<Progress, 'next'>,
  startedMs: number,
): Promise<void> {
  if (next === null) return
  await run(
    { operation: next, payment: null, charged: null, sinceMs: startedMs },
    backgroundRunner(deps, ref),
  )
}

type FirstStep = {
  /** Returns the result of the operation, for example from a lookup. */
  readonly observe: () => Promise<Observation>
  /** Called after the result is recorded. */
  readonly recorded?: () => void
}

/**
 * Like `runInBackground`, but gets the result of the first operation with `observe` instead of sending it.
 */
export async function continueInBackground(
  deps: Deps,
  ref: Ref<'payment'>,
  operation: Operation,
  { observe, recorded = () => {} }: FirstStep,
): Promise<void> {
  const runner = backgroundRunner(deps, ref)
  await run(
    { operation, payment: null, charged: null, sinceMs: monotonicMs() },
    {
      observe: (step) => (step.operation === operation ? observe() : runner.observe(step)),
      record: async (step, observation) => {
        const progress = await runner.record(step, observation)
        if (step.operation === operation) recorded()
        return progress
      },
    },
  )
}

function backgroundRunner(deps: Deps, ref: Ref<'payment'>): Runner {
  const caller = systemCaller(ref)
  return {
    observe: ({ operation, sinceMs }) => sendOperation(deps, caller, operation, sinceMs),
    record: ({ operation }, observation) =>
      transactAfterCall(
        deps,
        caller,
        async (tx, locked: Promise<LockedPayment>) =>
          recordResult(deps, tx, await locked, operation.id, observation),
        (view) => lockWithOperations(view, ref.id),
      ),
  }
}
