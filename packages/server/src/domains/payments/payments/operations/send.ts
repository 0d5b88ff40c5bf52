/** Calls a provider, without an open transaction or database connection. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { money } from '../../../../kernel/money.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Found, LookupInput, OperationInput } from '../../../../providers/contract.ts'
import type { NotSent } from '../../../../providers/evidence.ts'
import type { Performed, StepName } from '../../../../providers/perform.ts'
import type { TaskVault } from '../../../../providers/send-through-vault.ts'
import { openAccount } from '../../../routing/provider-accounts/service/open.ts'
import { openProviderToken } from '../../payment-methods/service/provider-tokens.ts'
import { type ChargedMethod, findChargedMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import type { CallObservation, LookupObservation, ResponseObservation } from '../observation.ts'
import { addsCredential, type Operation, type Payment, type ReturnParams } from '../payment.ts'
import type { NewProviderCall } from '../provider-call.ts'
import { listAttempts, listOperations } from '../store/operations.ts'
import { findPayment } from '../store/payments.ts'
import { instrumentOf, type SendableCard, storedCredentialOf } from './instrument.ts'
import { payerUrlOf } from './payer-url.ts'
import { withProviderCustomer } from './provider-customer.ts'
import { withSealedToken } from './save-card.ts'

const lookupTimeoutMs = 10_000

/**
 * Sends the operation, or repeats it as an identical request with the same reference. The deadline counts from
 * `sinceMs`, which is before the lease was written, so that a process that stalls in between does not send
 * after its lease has expired.
 */
export async function sendOperation(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  sinceMs: number,
  loaded: Loaded = { payment: null, charged: null },
): Promise<ResponseObservation> {
  const context = await contextOf(deps, caller, operation, loaded)
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const isFirst = operation.status === 'sending'
  const { input: inputWithCard, vault } = await inputOf(deps, caller, context)
  const sentMs = monotonicMs()
  const target = {
    provider,
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: sinceMs + deps.limits.providerMs,
  }
  const { input, obstacle } = await withProviderCustomer(deps, caller, operation, {
    ...target,
    input: inputWithCard,
  })
  const performed = await deps.performer.perform({
    ...target,
    step: operation.kind,
    input,
    obstacle,
    vault,
    // If a repeated request was not sent, the first one may still have been sent.
    isFirst,
    ...(operation.requestHash === null ? {} : { repeatOf: operation.requestHash.toString('hex') }),
  })
  if (isFirst) {
    const sample = { kind: operation.kind, observed: performed.outcome, tookMs: monotonicMs() - sentMs }
    deps.health.recordResult({ workspaceId: caller.workspaceId, id: account.id }, sample)
  }
  const observation = {
    ...observationOf(deps, caller, { operation, step: operation.kind, performed }),
    source: 'response',
    // Empty if the request could not be built.
    requestHash: performed.call.requestHash === '' ? null : Buffer.from(performed.call.requestHash, 'hex'),
    isReplay: !isFirst,
  } as const
  return withSealedToken(deps, caller, { operation, payment: context.payment }, observation)
}

type CompletedCall = {
  readonly operation: Operation
  readonly step: StepName
  readonly performed: Pick<Performed<StepName>, 'differs' | 'call'> & { readonly outcome: Found | NotSent }
}

/** The result of a call, and the record of the call. */
function observationOf(
  deps: Deps,
  caller: Caller,
  { operation, step, performed }: CompletedCall,
): CallObservation {
  const { outcome: result, differs, call } = performed
  const { status, mayHaveBeenSent, requestBytes, answerBytes, durationMs } = call
  const providerCall: NewProviderCall = {
    step,
    status,
    mayHaveBeenSent,
    requestBytes,
    answerBytes,
    durationMs,
    outcome: result.is,
    fault: 'fault' in result ? result.fault.code : null,
  }
  const payerUrl = result.is === 'action' ? payerUrlOf(deps, caller, operation.paymentId) : null
  return { result, differs, call: providerCall, payerUrl, sealedToken: null }
}

/** Looks up the operation at the provider, or closes it so that the provider will never process it. */
export async function lookUpOrClose(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  step: 'lookup' | 'close',
): Promise<LookupObservation> {
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const performed = await deps.performer.perform({
    provider,
    step,
    input: await lookupOf(deps, caller, operation),
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: monotonicMs() + Math.min(lookupTimeoutMs, deps.limits.providerMs),
  })
  const observed = observationOf(deps, caller, { operation, step, performed })
  const observation = { ...observed, source: 'lookup' } as const
  return withSealedToken(deps, caller, { operation }, observation)
}

/** Passes the return parameters to the provider. A provider without a `complete` step gets a lookup. */
export async function completeAuthentication(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  returnParams: ReturnParams,
): Promise<ResponseObservation | LookupObservation> {
  const startedMs = monotonicMs()
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  if (provider.complete === undefined) return lookUpOrClose(deps, caller, operation, 'lookup')
  const performed = await deps.performer.perform({
    provider,
    step: 'complete',
    input: { ...(await lookupOf(deps, caller, operation)), returnParams },
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: startedMs + deps.limits.providerMs,
  })
  const observation = {
    ...observationOf(deps, caller, { operation, step: 'complete', performed }),
    source: 'response',
    requestHash: null,
    isReplay: operation.status !== 'sending',
  } as const
  return withSealedToken(deps, caller, { operation }, observation)
}

type SendContext = {
  readonly payment: Payment
  readonly operation: Operation
  readonly earlier: EarlierOperations
  /** The saved payment method, if the operation charges one. */
  readonly method: PaymentMethod | null
  /** The provider token of the payment method at this account, if there is one. */
  readonly token: string | null
}

const withoutMethod = { method: null, token: null } as const

export function usesCard({ kind }: Pick<Operation, 'kind'>): boolean {
  return kind === 'authorize' || kind === 'verify'
}

/** Objects that the caller has just written or read. Null if they must be read. */
type Loaded = { readonly payment: Payment | null; readonly charged: ChargedMethod | null }

/** After the caller has written the payment and read the saved method, nothing else needs to be read. */
async function contextOf(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  { payment: loadedPayment, charged: loadedMethod }: Loaded,
): Promise<SendContext> {
  if (loadedPayment?.paymentMethodId === null && usesCard(operation))
    return { payment: loadedPayment, operation, earlier: noEarlierOperations, ...withoutMethod }
  const { charged, ...context } =
    loadedPayment !== null && loadedMethod !== null && operation.kind === 'authorize'
      ? { payment: loadedPayment, earlier: noEarlierOperations, charged: loadedMethod }
      : await readContext(deps, caller, operation, loadedPayment)
  if (charged === null) return { ...context, operation, ...withoutMethod }
  const token = await openProviderToken(deps, caller, charged, operation.providerAccountId)
  return { ...context, operation, method: charged.method, token }
}

type ReadContext = Pick<SendContext, 'payment' | 'earlier'> & { readonly charged: ChargedMethod | null }

function readContext(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  loadedPayment: Payment | null,
): Promise<ReadContext> {
  return read(deps, caller, async (view) => {
    const payment = loadedPayment ?? (await findPayment(view, operation.paymentId))
    if (operation.kind !== 'authorize' && !addsCredential(payment))
      return { payment, earlier: await earlierOperations(view, operation), charged: null }
    const { paymentMethodId: id } = payment
    const charged = id === null ? null : await findChargedMethod(view, id)
    return { payment, earlier: noEarlierOperations, charged }
  })
}

type EarlierOperations = Pick<OperationInput, 'parent' | 'captures'>

const noEarlierOperations: EarlierOperations = { parent: null, captures: [] }

/**
 * The authorization that this operation captures, voids or refunds, and its captures. If its attempt has failed, the
 * provider reference of the authorization may be stored only in the attempt.
 */
async function earlierOperations(view: View, operation: Operation): Promise<EarlierOperations> {
  if (usesCard(operation)) return noEarlierOperations
  const { paymentId, attemptId, number } = operation
  const ofAttempt = (await listOperations(view, paymentId)).filter((other) => other.attemptId === attemptId)
  const parent = ofAttempt.find(({ kind }) => kind === 'authorize')
  if (parent === undefined) return noEarlierOperations
  const captures = ofAttempt
    .filter((other) => other.kind === 'capture' && other.status === 'succeeded' && other.number < number)
    .map(({ reference, providerReference, amount, currency }) => ({
      reference,
      providerReference,
      money: money(amount, currency),
    }))
  const { reference, providerReference } = parent
  if (providerReference !== null) return { parent: { reference, providerReference }, captures }
  const attempt = (await listAttempts(view, paymentId)).find(({ id }) => id === attemptId)
  return { parent: { reference, providerReference: attempt?.providerReference ?? null }, captures }
}

const withoutCard: SendableCard = { instrument: null }

async function inputOf(
  deps: Deps,
  caller: Caller,
  { payment, operation, earlier, method, token }: SendContext,
): Promise<{ readonly input: OperationInput; readonly vault: TaskVault | undefined }> {
  const withCard = usesCard(operation)
  const { description, metadata } = payment.sentFields ?? payment
  const { reference } = operation
  const { instrument, vault, debit, redirect } = withCard
    ? await instrumentOf(deps, caller, { payment, method, token, reference })
    : withoutCard
  const input: OperationInput = {
    kind: operation.kind,
    reference: operation.reference,
    ...earlier,
    mode: caller.mode,
    money: money(operation.amount, operation.currency),
    capture: operation.capture,
    final: operation.final,
    initiator: payment.initiator,
    storedCredential: withCard
      ? storedCredentialOf(payment, method, operation.providerAccountId)
      : { use: 'none', networkTransactionId: null },
    instrument,
    ...(debit === undefined ? {} : { debit }),
    ...(redirect === undefined ? {} : { redirect }),
    paymentId: payment.id,
    // The payer returns to Switchyard first, which passes the return parameters to the provider and then
    // redirects the payer to the merchant.
    returnUrl: withCard ? `${payerUrlOf(deps, caller, payment.id)}/return` : null,
    threeDSecure: payment.threeDSecure,
    customer: payment.customerId === null ? null : { id: payment.customerId, email: null },
    device: withCard ? payment.device : null,
    billing: payment.billingDetails as Record<string, unknown> | null,
    statementDescriptor: payment.statementDescriptor,
    description,
    metadata,
    ...(operation.providerCustomer === null ? {} : { providerCustomer: operation.providerCustomer }),
  }
  return { input, vault }
}

async function lookupOf(deps: Deps, caller: Caller, operation: Operation): Promise<LookupInput> {
  const earlier = usesCard(operation)
    ? noEarlierOperations
    : await read(deps, caller, (view) => earlierOperations(view, operation))
  return {
    kind: operation.kind,
    reference: operation.reference,
    ...earlier,
    mode: caller.mode,
    money: money(operation.amount, operation.currency),
    capture: operation.capture,
    providerReference: operation.providerReference,
    createdAt: operation.createdAt,
  }
}
