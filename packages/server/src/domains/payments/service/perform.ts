/** Asks a provider. Nothing is open meanwhile: no transaction, no connection. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/money.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { LookupInput, OperationInput } from '../../../providers/contract.ts'
import { findPaymentMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import { openAccount } from '../../provider-accounts/service/open.ts'
import type { Operation, Payment } from '../payment.ts'
import { listOperations } from '../store/operations.ts'
import { findPayment } from '../store/payments.ts'
import { instrumentOf, storedCredentialOf } from './instrument.ts'
import { payerAddressOf } from './payer-address.ts'
import type { Seen } from './record.ts'
import { withSealedToken } from './verified.ts'

const readMs = 10_000

/**
 * Sends the operation, or sends it again with the same reference and the same bytes. Its time runs from
 * `sinceMs`, before its lease was written: a process that stood still in between does not send after the lease.
 */
export async function perform(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  sinceMs: number,
): Promise<Seen> {
  const story = await storyOf(deps, caller, operation)
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const performed = await deps.performer.perform({
    provider,
    step: operation.kind,
    input: await inputOf(deps, caller, story),
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: sinceMs + deps.limits.providerMs,
    // A repeat proves nothing about the first call: what did not leave now may have left then.
    isFirst: operation.status === 'sending',
    ...(operation.requestHash === null ? {} : { repeatOf: operation.requestHash.toString('hex') }),
  })
  return withSealedToken(deps, caller, operation, {
    learned: performed.outcome,
    differs: performed.differs,
    requestHash: Buffer.from(performed.call.requestHash, 'hex'),
    payerAddress: payerAddressOf(deps, caller, operation.paymentId),
  })
}

/** Asks what became of it, or makes sure that it never happens. */
export async function ask(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  step: 'lookup' | 'close',
): Promise<Seen> {
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const performed = await deps.performer.perform({
    provider,
    step,
    input: lookupOf(caller, operation),
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: monotonicMs() + readMs,
  })
  const { outcome: learned, differs } = performed
  const payerAddress = payerAddressOf(deps, caller, operation.paymentId)
  return withSealedToken(deps, caller, operation, { learned, differs, checked: true, payerAddress })
}

/** Hands on what the payer brought back. A provider that makes nothing of it is asked what became of it. */
export async function complete(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  returnParams: Readonly<Record<string, string>>,
): Promise<Seen> {
  const startedMs = monotonicMs()
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  if (provider.complete === undefined) return ask(deps, caller, operation, 'lookup')
  const { outcome: learned, differs } = await deps.performer.perform({
    provider,
    step: 'complete',
    input: { ...lookupOf(caller, operation), returnParams },
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: startedMs + deps.limits.providerMs,
  })
  const payerAddress = payerAddressOf(deps, caller, operation.paymentId)
  return withSealedToken(deps, caller, operation, { learned, differs, payerAddress })
}

type Story = {
  readonly payment: Payment
  readonly operation: Operation
  readonly parent: Operation | null
  /** What a customer pays with, if the card is asked for and was kept before. */
  readonly method: PaymentMethod | null
}

async function storyOf(deps: Deps, caller: Caller, operation: Operation): Promise<Story> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, operation.paymentId)
    const all = await listOperations(view, operation.paymentId)
    const parent = all.find(
      ({ attemptId, kind, status }) =>
        attemptId === operation.attemptId && kind === 'authorize' && status === 'succeeded',
    )
    if (operation.kind !== 'authorize') return { payment, operation, parent: parent ?? null, method: null }
    const { paymentMethodId } = payment
    const method = paymentMethodId === null ? null : await findPaymentMethod(view, paymentMethodId)
    return { payment, operation, parent: null, method }
  })
}

async function inputOf(
  deps: Deps,
  caller: Caller,
  { payment, operation, parent, method }: Story,
): Promise<OperationInput> {
  const asksForCard = operation.kind === 'authorize' || operation.kind === 'verify'
  const accountId = operation.providerAccountId
  return {
    kind: operation.kind,
    reference: operation.reference,
    parent:
      parent === null ? null : { reference: parent.reference, providerReference: parent.providerReference },
    mode: caller.mode,
    money: money(operation.amount, operation.currency),
    capture: operation.capture,
    initiator: payment.initiator,
    storedCredential: asksForCard
      ? storedCredentialOf(payment, method)
      : { use: 'none', networkTransactionId: null },
    instrument: asksForCard ? await instrumentOf(deps, caller, { payment, method, accountId }) : null,
    paymentId: payment.id,
    // Ours: what the payer brings back is handed to the provider, and only then they go on to the merchant.
    returnUrl: asksForCard ? `${payerAddressOf(deps, caller, payment.id)}/return` : null,
    threeDSecure: payment.threeDSecure,
    customer: payment.customerId === null ? null : { id: payment.customerId, email: null },
    billing: payment.billingDetails as Record<string, unknown> | null,
    statementDescriptor: payment.statementDescriptor,
    description: payment.description,
    metadata: payment.metadata,
  }
}

function lookupOf(caller: Caller, operation: Operation): LookupInput {
  return {
    kind: operation.kind,
    reference: operation.reference,
    mode: caller.mode,
    money: money(operation.amount, operation.currency),
    providerReference: operation.providerReference,
  }
}
