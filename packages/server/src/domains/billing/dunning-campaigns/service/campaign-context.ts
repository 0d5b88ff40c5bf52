/**
 * Locks a campaign and the objects it affects, in the global lock order: subscription, invoices, campaign.
 */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type Invoice, lockInvoicesOf } from '../../invoices/service.ts'
import { lockSubscription, type Subscription } from '../../subscriptions/service.ts'
import type { DunningCampaign } from '../dunning-campaign.ts'
import type { Trigger } from '../machine.ts'
import * as store from '../store.ts'

export type CampaignContext = {
  /** Null for a one-off invoice. */
  readonly subscription: Subscription | null
  readonly invoice: Invoice
  /** The newest campaign of the invoice. At most one is running. */
  readonly campaign: DunningCampaign | null
}

type CampaignKey = {
  readonly subscriptionId: Id<'subscription'> | null
  readonly invoiceId: Id<'invoice'>
}

/** Locks all unpaid invoices, because the final action may affect each of them. */
export async function lockCampaignContext(
  tx: Tx,
  { subscriptionId, invoiceId }: CampaignKey,
): Promise<CampaignContext> {
  const subscription = subscriptionId === null ? null : await lockSubscription(tx, subscriptionId)
  const invoices = await lockInvoicesOf(tx, subscriptionId === null ? [] : [subscriptionId], [invoiceId])
  const invoice = invoices.find(({ id }) => id === invoiceId) as Invoice
  return { subscription, invoice, campaign: await store.lockCampaignOfInvoice(tx, invoiceId) }
}

/** Whether the invoice is no longer collected, because its subscription was cancelled. It can still be paid. */
export function isAbandoned({ subscription, invoice }: CampaignContext): boolean {
  return invoice.status === 'open' && invoice.held && subscription?.status === 'cancelled'
}

/** The time of an attempt that is due but was not made yet. */
export function dueAttemptOf({ nextAttemptAt }: Invoice, now: Date): Date | null {
  return nextAttemptAt !== null && nextAttemptAt <= now ? nextAttemptAt : null
}

/** The trigger that ends a campaign, depending on the status of its invoice. */
export function endTriggerFor({ status }: Invoice): Extract<Trigger, 'paid' | 'stop' | 'written_off'> {
  if (status === 'open') return 'stop'
  return status === 'paid' ? 'paid' : 'written_off'
}
