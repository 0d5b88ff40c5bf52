/**
 * Adds a credential at another provider account to a saved card: verifies the card there with a zero-amount payment, so
 * that unknown outcomes and crash recovery work as they do for any payment. The payer is not present, so the merchant
 * initiates the payment, which refers to the first one by its network transaction id.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Id, parseId } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { verificationCurrency } from '../../../../providers/contract.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { pinnedRoute } from '../../../routing/payment-routes/service/decide.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import { addPendingCredential, requireNoCredential } from '../../payment-methods/service/credentials.ts'
import { lockAttachedMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import { beginPayment } from '../operations/begin-attempt.ts'
import { chooseAccount } from '../operations/choose-account.ts'
import type { Progress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import type { Intent } from '../payment.ts'
import type { CreateCredential } from '../schema/payment.ts'

/** The progress contains the payment method with the new credential if the verification has succeeded. */
export function createCredential(
  deps: Deps,
  caller: Caller,
  methodId: string,
  body: CreateCredential,
): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) => {
    const method = await lockAttachedMethod(tx, methodId)
    const accountId = await requireAccount(tx, body.provider_account_id)
    requireNoCredential(method, accountId)
    if (method.vaultCardUuid === null) refuse('card_number_unavailable')
    const intent = intentOf(method, body)
    await requireEligible(deps, tx, intent, accountId)
    const request = { intent, tokensAt: noAccounts, requiredAccountId: accountId, paymentRouteId: null }
    const progress = await beginPayment(deps, tx, Promise.resolve(request))
    // The card is at its retry limit, so the payment has failed without an attempt.
    if (progress.next === null) return progress
    const { id: paymentId } = progress.payment
    await addPendingCredential(tx, method, { providerAccountId: accountId, paymentId })
    const details = { provider_account_id: accountId, payment_id: paymentId }
    await recordAuditEntry(tx, 'payment_method.credential_requested', { objectId: method.id, details })
    return progress
  })
}

const noAccounts: ReadonlySet<Id<'provider_account'>> = new Set()

async function requireAccount(tx: Tx, text: string): Promise<Id<'provider_account'>> {
  const id = parseId('provider_account', tx.caller.mode, text)
  const account = id === null ? null : await findAccount(tx, id)
  if (account !== null) return account.id
  const detail = 'is not the id of an existing provider account'
  return refuse('reference_not_found', {
    errors: [{ pointer: '/provider_account_id', code: 'not_found', detail }],
  })
}

function intentOf(method: PaymentMethod, { currency }: CreateCredential): Intent {
  return {
    purpose: 'verification',
    amount: 0n,
    currency: currency ?? verificationCurrency(method.type),
    captureMethod: 'automatic',
    initiator: 'merchant',
    threeDSecure: 'auto',
    customerId: method.customerId,
    paymentMethodId: method.id,
    tokenId: null,
    invoiceId: null,
    checkoutSessionId: null,
    paymentLinkId: null,
    methodType: method.type,
    card: method.card,
    debit: method.debit,
    fingerprint: method.fingerprint,
    vaultCardUuid: method.vaultCardUuid,
    savePaymentMethod: false,
    usage: method.usage,
    returnUrl: null,
    device: null,
    orderReference: null,
    statementDescriptor: null,
    description: null,
    billingDetails: method.billingDetails,
    metadata: {},
  }
}

/** Refuses with the reason, before anything is written, if the account cannot verify the card. */
async function requireEligible(
  deps: Deps,
  tx: Tx,
  intent: Intent,
  requiredAccountId: Id<'provider_account'>,
): Promise<void> {
  const payment = { ...intent, id: tx.newId('payment') }
  const choice = { payment, tried: [], tokensAt: noAccounts, requiredAccountId }
  const route = await pinnedRoute(deps, tx, null, null)
  const { chosen, trace } = await chooseAccount(deps, tx, route, choice)
  if (chosen !== null) return
  const account = trace.candidates.find((entry) => entry.provider_account_id === requiredAccountId)
  const reasons = account?.reasons.join(', ') ?? 'it is not active'
  refuseMember('/provider_account_id', 'no_capable_target', `cannot verify this card: ${reasons}`)
}
