/** Updates the dunning state of a subscription from its campaigns. */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findInvoice } from '../../invoices/service.ts'
import { type Dunning, storeDunning } from '../../subscriptions/service.ts'
import type { DunningCampaign } from '../dunning-campaign.ts'
import * as store from '../store.ts'

/** The dunning state after a campaign was stopped: the invoice is still owed. */
export const stoppedDunning: Dunning = {
  hasGivenUp: true,
  hasGrace: false,
  finalAction: null,
  finalActionAt: null,
}

/** Stores the state of the oldest running campaign, or `fallback` if no campaign is running. */
export async function updateSubscriptionDunning(
  tx: Tx,
  subscriptionId: Id<'subscription'> | null,
  fallback: Dunning | null,
): Promise<void> {
  if (subscriptionId === null) return
  const [oldest] = await store.lockRunningCampaigns(tx, subscriptionId)
  await storeDunning(tx, subscriptionId, oldest === undefined ? fallback : await dunningStateOf(tx, oldest))
}

async function dunningStateOf(tx: Tx, { invoiceId, policy, endsAt }: DunningCampaign): Promise<Dunning> {
  const finalAction = finalActionOf(await findInvoice(tx, invoiceId), policy)
  return { hasGivenUp: false, hasGrace: policy.grace === 'campaign', finalAction, finalActionAt: endsAt }
}

/** An unpaid invoice for a change does not end a subscription whose periods are paid. */
export function finalActionOf(
  { reason }: { readonly reason: string },
  { final }: DunningCampaign['policy'],
): DunningCampaign['policy']['final']['subscription'] {
  return reason === 'change' ? 'keep' : final.subscription
}
