/**
 * Payer authentication. The URL in `next_action` redirects the payer to the provider page, which redirects
 * back. The return parameters are passed on to the provider; they do not decide the result.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { leaseSeconds } from '../operations/begin-attempt.ts'
import { continueInBackground } from '../operations/run.ts'
import { completeAuthentication } from '../operations/send.ts'
import { updateAndEmit } from '../operations/update-and-emit.ts'
import { verifyPayerLink } from '../payer-link.ts'
import { isOpen, type Operation, type Payment } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { findPayment, lockPayment } from '../store/payments.ts'

/** How long the payer waits on an empty page. Slower calls continue in the background. */
const payerWaitMs = 10_000

/** How many returns call the provider without a pause. */
const freeReturns = 3
/** The pause before the provider is called again after the free returns. The resolver checks meanwhile. */
const firstPauseSeconds = 15

/**
 * The URL to redirect the payer to; null if the merchant set no return URL. `fields`: the page is opened with a form.
 */
export type PayerRedirect = {
  readonly to: string | null
  readonly fields?: Readonly<Record<string, string>>
}

/** Redirects to the provider page while the payment requires the action, otherwise to the merchant. */
export async function redirectPayer(deps: Deps, mode: Mode, link: string): Promise<PayerRedirect> {
  const ref = requireLink(deps, mode, link)
  const payment = await read(deps, systemCaller(ref), (view) => findPayment(view, ref.id))
  const { nextAction } = payment
  if (nextAction === null) return { to: merchantReturnUrl(payment) }
  const { target: to, fields } = nextAction
  return fields === undefined ? { to } : { to, fields }
}

/** Requests the result from the provider, then redirects the payer, even if the result is not known yet. */
export async function handlePayerReturn(
  deps: Deps,
  mode: Mode,
  link: string,
  returnParams: Readonly<Record<string, string>>,
): Promise<PayerRedirect> {
  const ref = requireLink(deps, mode, link)
  const { payment, operation } = await transact(deps, systemCaller(ref), (tx) => leaseOperation(tx, ref.id))
  // Reloading the page does not call the provider again.
  if (operation !== null) {
    const completion = requestResult(deps, ref, operation, returnParams)
    deps.runInBackground(completion)
    await withTimeout(payerWaitMs, completion, undefined)
  }
  return { to: merchantReturnUrl(payment) }
}

function requestResult(
  deps: Deps,
  ref: Ref<'payment'>,
  operation: Operation,
  returnParams: Readonly<Record<string, string>>,
): Promise<void> {
  const observe = async () => {
    crashpoint('payer.returned')
    const observation = await completeAuthentication(deps, systemCaller(ref), operation, returnParams)
    crashpoint('payer.answered')
    return observation
  }
  return continueInBackground(deps, ref, operation, { observe })
}

function requireLink({ linkKeys }: Deps, mode: Mode, link: string): Ref<'payment'> {
  return (
    verifyPayerLink(linkKeys, mode, link) ??
    refuse('not_found', { detail: 'There is no payment at this address.' })
  )
}

type LeasedOperation = { readonly payment: Payment; readonly operation: Operation | null }

/**
 * Leases the operation for the call to the provider. If this process crashes, the resolver continues when
 * the lease has expired.
 */
async function leaseOperation(tx: Tx, id: Ref<'payment'>['id']): Promise<LeasedOperation> {
  const before = await lockPayment(tx, id)
  if (before.status !== 'requires_action') return { payment: before, operation: null }
  const challenged = (await operations.listOperations(tx, id)).find(
    (operation) => isOpen(operation) && operation.challenged,
  )
  if (challenged === undefined || isTooSoon(challenged, tx.now)) return { payment: before, operation: null }
  const { to } = nextTransition(paymentMachine, {
    state: before.status,
    trigger: 'payer_returned',
    facts: factsOf(before),
  })
  const leaseUntil = addSeconds(tx.now, leaseSeconds)
  const operation = await operations.updateOperation(tx, challenged, {
    status: 'sending',
    leaseUntil,
    dueAt: leaseUntil,
    returns: challenged.returns + 1,
    returnedAt: tx.now,
  })
  const changes = { status: to, nextAction: null, dueAt: null }
  return { payment: await updateAndEmit(tx, before, changes, events.paymentUpdated), operation }
}

/**
 * The first returns call the provider immediately, because payers often leave the bank page and then confirm
 * after all. Before each further return the pause doubles, so that reloading the page causes neither provider
 * calls nor events.
 */
function isTooSoon({ returns, returnedAt }: Operation, now: Date): boolean {
  if (returnedAt === null || returns < freeReturns) return false
  return now < addSeconds(returnedAt, firstPauseSeconds * 2 ** (returns - freeReturns))
}

/** The return URL contains only the payment id. The merchant's server gets the result from the API. */
function merchantReturnUrl({ returnUrl, id }: Payment): string | null {
  const url = returnUrl === null ? null : URL.parse(returnUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.searchParams.set('payment_id', id)
  return url.href
}
