/** What a campaign is about, held in the order in which everybody takes it: subscription, invoices, campaign. */
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { type Invoice, lockInvoicesOf } from '../../invoices/service.ts'
import { lockSubscription, type Subscription } from '../../subscriptions/service.ts'
import type { DunningCampaign } from '../dunning-campaign.ts'
import type { Trigger } from '../machine.ts'
import * as store from '../store.ts'

export type Held = {
  readonly subscription: Subscription
  readonly invoice: Invoice
  /** There is at most one to an invoice. */
  readonly campaign: DunningCampaign | null
}

type About = { readonly subscriptionId: Id<'subscription'>; readonly invoiceId: Id<'invoice'> }

/** With all invoices that are owed: what comes in the end may concern each of them. */
export async function hold(tx: Tx, { subscriptionId, invoiceId }: About): Promise<Held> {
  const subscription = await lockSubscription(tx, subscriptionId)
  const invoices = await lockInvoicesOf(tx, [subscriptionId], [invoiceId])
  const invoice = invoices.find(({ id }) => id === invoiceId) as Invoice
  return { subscription, invoice, campaign: await store.lockCampaignOf(tx, invoiceId) }
}

/** A try that is due and has not been made. */
export function dueAttemptOf({ nextAttemptAt }: Invoice, now: Date): Date | null {
  return nextAttemptAt !== null && nextAttemptAt <= now ? nextAttemptAt : null
}

/** How a campaign ends whose invoice stands like this, if nothing is tried any more. */
export function endingFor({ status }: Invoice): Extract<Trigger, 'paid' | 'stop' | 'written_off'> {
  if (status === 'open') return 'stop'
  return status === 'paid' ? 'paid' : 'written_off'
}
