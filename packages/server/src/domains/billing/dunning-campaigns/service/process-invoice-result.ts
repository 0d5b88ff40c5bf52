/** Processes the results of collection attempts: starts, continues or ends the campaign of the invoice. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { declineOf } from '../../../../providers/declines.ts'
import { isBankDebit } from '../../../payments/payments/commands/pay-invoice.ts'
import { defaultTerms, findDunningPolicy } from '../../dunning-policies/service.ts'
import { acknowledgeAndSchedule, findInvoice, type Invoice } from '../../invoices/service.ts'
import type { Subscription } from '../../subscriptions/service.ts'
import { decideAfterFailure } from '../decide.ts'
import type { CampaignPolicy, DunningCampaign } from '../dunning-campaign.ts'
import { campaignStarted, campaignStepFailed } from '../events.ts'
import { planSteps } from '../schedule.ts'
import * as store from '../store.ts'
import { type CampaignContext, dueAttemptOf, isAbandoned, lockCampaignContext } from './campaign-context.ts'
import { closeCampaign, endForInvoice } from './end.ts'
import { updateSubscriptionDunning } from './subscription-dunning.ts'

/** Worker: an invoice could not be collected, or is no longer owed. */
export async function processInvoiceResult(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const found = await findInvoice(tx, ref.id)
    // A message may be late or a duplicate. The row shows whether there is anything to do.
    if (found.dunningDueAt !== null)
      await processResult(tx, await lockCampaignContext(tx, { ...found, invoiceId: found.id }))
  })
}

/** Processes the result, unless it was processed already. */
export async function processResult(tx: Tx, context: CampaignContext): Promise<void> {
  const { invoice } = context
  if (invoice.dunningDueAt === null) return
  // An invoice that was sent to the customer is not retried: the customer is reminded of it.
  if (invoice.collectionMethod === 'send_invoice')
    await acknowledgeAndSchedule(tx, invoice.id, { at: invoice.nextAttemptAt, campaignId: null })
  else if (invoice.status === 'open' && !isAbandoned(context)) await continueCampaign(tx, context)
  else await endForInvoice(tx, context)
}

async function continueCampaign(
  tx: Tx,
  { subscription, invoice, campaign: newest }: CampaignContext,
): Promise<void> {
  const existing = newest !== null && isReturnedAfter(invoice, newest) ? null : newest
  // A new card or a manual retry may have scheduled an attempt since the failure. It is made first.
  const requestedAttemptAt = dueAttemptOf(invoice, tx.now)
  // Later attempts by the customer do not start another campaign, but the return of a debit does.
  const hasEnded = existing === null ? wasPausedForNonPayment(subscription) : existing.status !== 'running'
  if (hasEnded) {
    await acknowledgeAndSchedule(tx, invoice.id, { at: requestedAttemptAt, campaignId: null })
    return
  }
  const campaign = existing ?? (await startCampaign(tx, invoice, subscription))
  const { lastFailure } = invoice
  assert(lastFailure !== null, 'An open invoice with `dunning_due_at` must have a `last_failure`.')
  const failure = { code: lastFailure.code, at: new Date(lastFailure.at), paymentId: lastFailure.payment_id }
  const { later } = declineOf(lastFailure.code)
  const next = decideAfterFailure(
    campaign.steps,
    failure,
    lastFailure.payment_id === null ? 'new_card' : later,
    existing === null,
  )
  const updated = await storeProgress(tx, campaign, next, existing !== null)
  if (next.kind === 'exhausted' && requestedAttemptAt === null)
    return closeCampaign(tx, updated, 'retries_exhausted')
  const at = requestedAttemptAt ?? (next.kind === 'retry' ? next.at : null)
  await acknowledgeAndSchedule(tx, invoice.id, { at, campaignId: campaign.id })
  if (existing === null) await updateSubscriptionDunning(tx, invoice.subscriptionId, null)
}

/** Whether the invoice was paid during or after the campaign, and the bank has returned that payment. */
function isReturnedAfter({ lastFailure }: Invoice, { status, endedAt }: DunningCampaign): boolean {
  if (status === 'running' || endedAt === null) return false
  return lastFailure?.code === 'debit_returned' && new Date(lastFailure.at) > endedAt
}

/** An older campaign has paused the subscription, so invoices that fail later start no campaign. */
const wasPausedForNonPayment = (subscription: Subscription | null) =>
  subscription?.pause?.reason === 'payment_failure'

async function storeProgress(
  tx: Tx,
  before: DunningCampaign,
  next: ReturnType<typeof decideAfterFailure>,
  isRetry: boolean,
): Promise<DunningCampaign> {
  const waitsFor = next.kind === 'wait' ? next.waitsFor : null
  const after = await store.updateCampaign(tx, before, { steps: next.steps, waitsFor }, isRetry)
  if (isRetry) tx.emit(campaignStepFailed, { before, after })
  return after
}

async function startCampaign(
  tx: Tx,
  invoice: Invoice,
  subscription: Subscription | null,
): Promise<DunningCampaign> {
  const policyId = (subscription ?? invoice).dunningPolicyId
  const policy = await policyOf(tx, policyId, await isDebited(tx, invoice))
  const failedAt = new Date(invoice.lastFailure?.at ?? tx.now)
  // On a test clock the result is deterministic and does not depend on generated ids.
  const key = tx.testClockId === null ? invoice.id : failedAt.toISOString()
  const steps = planSteps(policy, { failedAt, interval: subscription?.interval ?? null, key })
  const campaign = await store.insertCampaign(tx, {
    reason: invoice.lastFailure?.code === 'debit_returned' ? 'debit_returned' : 'payment_failed',
    invoiceId: invoice.id,
    subscriptionId: invoice.subscriptionId,
    customerId: invoice.customerId,
    policy,
    failedAt,
    steps,
    endsAt: steps.at(-1)?.plannedAt ?? failedAt,
  })
  tx.emit(campaignStarted, { after: campaign })
  return campaign
}

/** Each return of a debit costs a fee, and the schemes limit how many times a debit is repeated. */
const maxDebitRetries = 2

async function isDebited(tx: Tx, { paymentMethodId }: Invoice): Promise<boolean> {
  return paymentMethodId !== null && (await isBankDebit(tx, paymentMethodId))
}

/** A copy: changes to the policy apply only to campaigns that start later. */
async function policyOf(tx: Tx, id: string | null, isDebit: boolean): Promise<CampaignPolicy> {
  const terms = id === null ? defaultTerms : await findDunningPolicy(tx, id)
  const { localHour, jitterMinutes, grace, final } = terms
  const retryDays = isDebit ? terms.retryDays.slice(0, maxDebitRetries) : terms.retryDays
  return { id, retryDays, localHour, jitterMinutes, grace, final }
}
