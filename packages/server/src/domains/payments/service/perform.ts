/** Asks a provider. Nothing is open meanwhile: no transaction, no connection. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { money } from '../../../kernel/money.ts'
import { read, type View } from '../../../platform/db/unit-of-work.ts'
import type { Found, LookupInput, OperationInput } from '../../../providers/contract.ts'
import type { NotSent } from '../../../providers/evidence.ts'
import type { Performed, StepName } from '../../../providers/perform.ts'
import { findWithToken } from '../../payment-methods/service/provider-tokens.ts'
import type { PaymentMethod } from '../../payment-methods/service.ts'
import { openAccount } from '../../provider-accounts/service/open.ts'
import type { NewCall } from '../call.ts'
import type { Operation, Payment } from '../payment.ts'
import { listAttempts, listOperations } from '../store/operations.ts'
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
  known: Payment | null = null,
): Promise<Seen> {
  const story = await storyOf(deps, caller, operation, known)
  const { account, provider, config } = await openAccount(
    deps,
    caller.workspaceId,
    operation.providerAccountId,
  )
  const sentMs = monotonicMs()
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
  if (operation.status === 'sending') {
    const result = { kind: operation.kind, learned: performed.outcome, tookMs: monotonicMs() - sentMs }
    deps.health.note({ workspaceId: caller.workspaceId, id: account.id }, result)
  }
  const seen = {
    ...seenIn(deps, caller, { operation, step: operation.kind, performed }),
    requestHash: Buffer.from(performed.call.requestHash, 'hex'),
  }
  return withSealedToken(deps, caller, { operation, payment: story.payment }, seen)
}

type Answered = {
  readonly operation: Operation
  readonly step: StepName
  readonly performed: Pick<Performed<StepName>, 'differs' | 'call'> & { readonly outcome: Found | NotSent }
}

/** What a call showed, and what is kept of it. */
function seenIn(deps: Deps, caller: Caller, { operation, step, performed }: Answered): Seen {
  const { outcome: learned, differs, call } = performed
  const { status, mayHaveBeenSent, requestBytes, answerBytes, durationMs } = call
  const made: NewCall = {
    ...{ step, status, mayHaveBeenSent, requestBytes, answerBytes, durationMs },
    outcome: learned.is,
    fault: 'fault' in learned ? learned.fault.code : null,
  }
  if (learned.is !== 'action') return { learned, differs, call: made }
  return { learned, differs, call: made, payerAddress: payerAddressOf(deps, caller, operation.paymentId) }
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
    deadlineMs: monotonicMs() + Math.min(readMs, deps.limits.providerMs),
  })
  const seen = { ...seenIn(deps, caller, { operation, step, performed }), checked: true }
  return withSealedToken(deps, caller, { operation }, seen)
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
  const performed = await deps.performer.perform({
    provider,
    step: 'complete',
    input: { ...lookupOf(caller, operation), returnParams },
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: startedMs + deps.limits.providerMs,
  })
  const seen = seenIn(deps, caller, { operation, step: 'complete', performed })
  return withSealedToken(deps, caller, { operation }, seen)
}

type Story = {
  readonly payment: Payment
  readonly operation: Operation
  readonly parent: OperationInput['parent']
  /** What a customer pays with, if the card is asked for and was kept before. */
  readonly method: PaymentMethod | null
  /** What the account calls the card of the method, if it has a name for it. */
  readonly token: string | null
}

const withoutMethod = { method: null, token: null } as const

export function asksForCard({ kind }: Pick<Operation, 'kind'>): boolean {
  return kind === 'authorize' || kind === 'verify'
}

/** Whoever has just written the payment knows it. A card that was typed for it needs nothing else. */
async function storyOf(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  known: Payment | null,
): Promise<Story> {
  if (known?.paymentMethodId === null && asksForCard(operation))
    return { payment: known, operation, parent: null, ...withoutMethod }
  return read(deps, caller, async (view) => {
    const payment = known ?? (await findPayment(view, operation.paymentId))
    if (operation.kind !== 'authorize')
      return { payment, operation, parent: await parentOf(view, operation), ...withoutMethod }
    const { paymentMethodId: id } = payment
    const kept =
      id === null ? withoutMethod : await findWithToken(deps, view, id, operation.providerAccountId)
    return { payment, operation, parent: null, ...kept }
  })
}

/** The authorization that it is about. One that counts as dead may be known to them by its attempt alone. */
async function parentOf(view: View, { paymentId, attemptId }: Operation): Promise<OperationInput['parent']> {
  const parent = (await listOperations(view, paymentId)).find(
    (one) => one.attemptId === attemptId && one.kind === 'authorize',
  )
  if (parent === undefined) return null
  const { reference, providerReference } = parent
  if (providerReference !== null) return { reference, providerReference }
  const attempt = (await listAttempts(view, paymentId)).find(({ id }) => id === attemptId)
  return { reference, providerReference: attempt?.providerReference ?? null }
}

async function inputOf(
  deps: Deps,
  caller: Caller,
  { payment, operation, parent, method, token }: Story,
): Promise<OperationInput> {
  const withCard = asksForCard(operation)
  const { description, metadata } = payment.sent ?? payment
  return {
    kind: operation.kind,
    reference: operation.reference,
    parent,
    mode: caller.mode,
    money: money(operation.amount, operation.currency),
    capture: operation.capture,
    initiator: payment.initiator,
    storedCredential: withCard
      ? storedCredentialOf(payment, method)
      : { use: 'none', networkTransactionId: null },
    instrument: withCard ? await instrumentOf(deps, caller, { payment, method, token }) : null,
    paymentId: payment.id,
    // Ours: what the payer brings back is handed to the provider, and only then they go on to the merchant.
    returnUrl: withCard ? `${payerAddressOf(deps, caller, payment.id)}/return` : null,
    threeDSecure: payment.threeDSecure,
    customer: payment.customerId === null ? null : { id: payment.customerId, email: null },
    billing: payment.billingDetails as Record<string, unknown> | null,
    statementDescriptor: payment.statementDescriptor,
    description,
    metadata,
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
