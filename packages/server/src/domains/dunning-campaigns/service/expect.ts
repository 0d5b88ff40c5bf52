/** What a subscription has to expect of its campaigns. */
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { findInvoice } from '../../invoices/service.ts'
import { type Dunning, noteDunning } from '../../subscriptions/service.ts'
import type { DunningCampaign } from '../dunning-campaign.ts'
import * as store from '../store.ts'

/** Somebody stopped trying, and it is still owed. */
export const stopped: Dunning = { hasGivenUp: true, hasGrace: false, finalAction: null, finalActionAt: null }

/** The oldest campaign that runs speaks for all; if none does, `otherwise` holds. */
export async function tellSubscription(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
  otherwise: Dunning | null,
): Promise<void> {
  const [oldest] = await store.lockRunning(tx, subscriptionId)
  await noteDunning(tx, subscriptionId, oldest === undefined ? otherwise : await expectationOf(tx, oldest))
}

async function expectationOf(tx: Tx, { invoiceId, policy, endsAt }: DunningCampaign): Promise<Dunning> {
  const finalAction = finalActionOf(await findInvoice(tx, invoiceId), policy)
  return { hasGivenUp: false, hasGrace: policy.grace === 'campaign', finalAction, finalActionAt: endsAt }
}

/** A change that was not paid for is no reason to end what was. */
export function finalActionOf(
  { reason }: { readonly reason: string },
  { final }: DunningCampaign['policy'],
): DunningCampaign['policy']['final']['subscription'] {
  return reason === 'change' ? 'keep' : final.subscription
}
