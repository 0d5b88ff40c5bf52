/** Ends a campaign, and applies its final action. The caller holds the lock on the campaign. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { isChange, nextTransition } from '../../../../kernel/machine.ts'
import type { EventDefinition } from '../../../../platform/db/events.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import {
  acknowledgeAndSchedule,
  type Invoice,
  lockInvoicesOf,
  markUncollectibleInTx,
  voidInvoiceInTx,
} from '../../invoices/service.ts'
import { exhaustDunning } from '../../subscriptions/service.ts'
import type { DunningCampaign, Status } from '../dunning-campaign.ts'
import * as events from '../events.ts'
import { dunningCampaignMachine, type Trigger } from '../machine.ts'
import * as store from '../store.ts'
import {
  type CampaignContext,
  dueAttemptOf,
  endTriggerFor,
  isAbandoned,
  lockCampaignContext,
} from './campaign-context.ts'
import { finalActionOf, updateSubscriptionDunning } from './subscription-dunning.ts'

/** The end of a campaign is postponed by this time while a payment is in progress. */
const postponeSeconds = 3_600

/** Worker: the campaign is due to end. */
export async function endCampaign(deps: Deps, ref: Ref<'dunning_campaign'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const found = await store.findCampaign(tx, ref.id)
    const context = await lockCampaignContext(tx, found)
    const { invoice, campaign } = context
    if (campaign === null || campaign.dueAt === null || campaign.dueAt > tx.now) return
    if (isAbandoned(context)) return endForInvoice(tx, context)
    if (hasAttemptInProgress(invoice, tx.now)) {
      await store.updateCampaign(tx, campaign, { dueAt: addSeconds(tx.now, postponeSeconds) }, false)
      return
    }
    await closeCampaign(tx, campaign, 'retries_exhausted')
  })
}

/**
 * Also true while the last attempt is due but not made yet: it is due at the same time as the end of the
 * campaign.
 */
function hasAttemptInProgress(invoice: Invoice, now: Date): boolean {
  const { pendingPaymentId, dunningDueAt } = invoice
  return pendingPaymentId !== null || dunningDueAt !== null || dueAttemptOf(invoice, now) !== null
}

/** The invoice was paid, voided or marked uncollectible, or its subscription was cancelled. */
export async function endForInvoice(tx: Tx, { invoice, campaign }: CampaignContext): Promise<void> {
  if (campaign?.status === 'running') await closeCampaign(tx, campaign, endTriggerFor(invoice))
  await acknowledgeAndSchedule(tx, invoice.id, { at: null, campaignId: null })
  await updateSubscriptionDunning(tx, invoice.subscriptionId, null)
}

type EndTrigger = Exclude<Trigger, 'retry'>

const endEvents: { readonly [S in Exclude<Status, 'running'>]: EventDefinition<DunningCampaign> } = {
  recovered: events.campaignRecovered,
  exhausted: events.campaignExhausted,
  stopped: events.campaignStopped,
}

export async function closeCampaign(tx: Tx, before: DunningCampaign, trigger: EndTrigger): Promise<void> {
  const row = nextTransition(dunningCampaignMachine, { state: before.status, trigger, facts: {} })
  if (!isChange(row)) return
  const changes = { status: row.to, endedAt: tx.now, dueAt: null, waitsFor: null }
  const after = await store.updateCampaign(tx, before, changes, true)
  tx.emit(endEvents[row.to as Exclude<Status, 'running'>], { before, after })
  if (row.effects.includes('final_action')) await applyFinalAction(tx, after)
}

/**
 * Applies the final action of the policy. If it pauses or cancels the subscription, the other campaigns end
 * too.
 */
async function applyFinalAction(
  tx: Tx,
  { invoiceId, subscriptionId, policy }: DunningCampaign,
): Promise<void> {
  const invoice = await acknowledgeAndSchedule(tx, invoiceId, { at: null, campaignId: null })
  if (policy.final.invoice === 'uncollectible') await markUncollectibleInTx(tx, invoiceId)
  if (policy.final.invoice === 'void') await voidInvoiceInTx(tx, invoiceId, 'requested')
  if (subscriptionId === null) return
  const action = finalActionOf(invoice, policy)
  await exhaustDunning(tx, subscriptionId, action)
  if (action !== 'pause' && action !== 'cancel') return
  const others = await store.lockRunningCampaigns(tx, subscriptionId)
  const invoices = await lockInvoicesOf(
    tx,
    [subscriptionId],
    others.map((other) => other.invoiceId),
  )
  for (const other of others) {
    // The invoice may have been paid, but its campaign has not processed the payment yet.
    const otherInvoice = invoices.find(({ id }) => id === other.invoiceId) as Invoice
    await closeCampaign(tx, other, endTriggerFor(otherInvoice))
    await acknowledgeAndSchedule(tx, otherInvoice.id, { at: null, campaignId: null })
  }
}
