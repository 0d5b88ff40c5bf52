// Campaigns without the month that leads to them.

import type { Deps } from '../../src/deps.ts'
import { campaignStarted } from '../../src/domains/dunning-campaigns/events.ts'
import { planSteps } from '../../src/domains/dunning-campaigns/schedule.ts'
import { insertCampaign } from '../../src/domains/dunning-campaigns/store.ts'
import { usualTerms } from '../../src/domains/dunning-policies/service.ts'
import { hearAndSchedule } from '../../src/domains/invoices/service.ts'
import type { Id } from '../../src/kernel/id.ts'
import { draftIn, inUnit } from './invoices.ts'

type Post = (path: string, body?: object) => Promise<{ readonly body: { readonly id: string } }>

/** One that runs, for an invoice of a subscription that is in its trial. Its next try is a day away. */
export async function startCampaign(deps: Deps, owner: string, post: Post): Promise<string> {
  const about = await aTrial(post)
  const { id: invoiceId } = await draftIn(deps, owner, { ...about, collect: 'never' })
  await post(`/invoices/${invoiceId}/finalize`)
  return inUnit(deps, owner, async (tx) => {
    const interval = { unit: 'month', count: 1 } as const
    const steps = planSteps(usualTerms, { failedAt: tx.now, interval, key: invoiceId })
    const endsAt = steps.at(-1)?.plannedAt ?? tx.now
    const policy = { id: null, ...usualTerms }
    const campaign = await insertCampaign(tx, {
      ...about,
      ...{ invoiceId, policy, failedAt: tx.now, steps, endsAt },
    })
    tx.emit(campaignStarted, { after: campaign })
    await hearAndSchedule(tx, invoiceId, { at: steps[0]?.dueAt ?? null, campaignId: campaign.id })
    return campaign.id
  })
}

/** A subscription for which nothing is charged yet. */
export async function aTrial(post: Post, customerId?: string) {
  const customer = customerId ?? (await post('/customers', {})).body.id
  const { body: product } = await post('/products', { name: 'Team plan' })
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 2999 }
  const { body: price } = await post('/prices', { ...terms, recurring: { interval: 'month' } })
  const wanted = { customer_id: customer, items: [{ price_id: price.id }], trial: { days: 14 } }
  const { body: subscription } = await post('/subscriptions', wanted)
  return { customerId: customer as Id<'customer'>, subscriptionId: subscription.id as Id<'subscription'> }
}
