// Starts dunning campaigns directly, without simulating a month.

import type { Deps } from '../../src/deps.ts'
import { campaignStarted } from '../../src/domains/billing/dunning-campaigns/events.ts'
import { planSteps } from '../../src/domains/billing/dunning-campaigns/schedule.ts'
import { insertCampaign } from '../../src/domains/billing/dunning-campaigns/store.ts'
import { defaultTerms } from '../../src/domains/billing/dunning-policies/service.ts'
import { acknowledgeAndSchedule } from '../../src/domains/billing/invoices/service.ts'
import type { Id } from '../../src/kernel/id.ts'
import { createDraftInvoice, inTransaction } from './invoices.ts'

type Post = (path: string, body?: object) => Promise<{ readonly body: { readonly id: string } }>

/** Starts a campaign for an invoice of a subscription in its trial. Its next attempt is in a day. */
export async function startCampaign(deps: Deps, workspaceId: string, post: Post): Promise<string> {
  const subscription = await aTrial(post)
  const { id: invoiceId } = await createDraftInvoice(deps, workspaceId, { ...subscription, collect: 'never' })
  await post(`/invoices/${invoiceId}/finalize`)
  return inTransaction(deps, workspaceId, async (tx) => {
    const interval = { unit: 'month', count: 1 } as const
    const steps = planSteps(defaultTerms, { failedAt: tx.now, interval, key: invoiceId })
    const endsAt = steps.at(-1)?.plannedAt ?? tx.now
    const policy = { id: null, ...defaultTerms }
    const campaign = await insertCampaign(tx, {
      reason: 'payment_failed',
      ...subscription,
      invoiceId,
      policy,
      failedAt: tx.now,
      steps,
      endsAt,
    })
    tx.emit(campaignStarted, { after: campaign })
    await acknowledgeAndSchedule(tx, invoiceId, { at: steps[0]?.dueAt ?? null, campaignId: campaign.id })
    return campaign.id
  })
}

/** Creates a subscription in its trial, so that nothing is charged yet. */
export async function aTrial(post: Post, customerId?: string) {
  const customer = customerId ?? (await post('/customers', {})).body.id
  const { body: product } = await post('/products', { name: 'Team plan' })
  const priceInput = { product_id: product.id, currency: 'eur', unit_amount: 2999 }
  const { body: price } = await post('/prices', { ...priceInput, recurring: { interval: 'month' } })
  const input = { customer_id: customer, items: [{ price_id: price.id }], trial: { days: 14 } }
  const { body: subscription } = await post('/subscriptions', input)
  return { customerId: customer as Id<'customer'>, subscriptionId: subscription.id as Id<'subscription'> }
}
