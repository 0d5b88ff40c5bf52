/** Something happened to an invoice: a campaign begins, goes on, or has nothing left to do. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { declineOf } from '../../../providers/declines.ts'
import { findDunningPolicy, usualTerms } from '../../dunning-policies/service.ts'
import { findInvoice, hearAndSchedule, type Invoice } from '../../invoices/service.ts'
import type { Subscription } from '../../subscriptions/service.ts'
import { afterFailure } from '../decide.ts'
import type { CampaignPolicy, DunningCampaign } from '../dunning-campaign.ts'
import { campaignStarted, campaignStepFailed } from '../events.ts'
import { planSteps } from '../schedule.ts'
import * as store from '../store.ts'
import { end } from './end.ts'
import { tellSubscription } from './expect.ts'
import { dueAttemptOf, endingFor, type Held, hold } from './hold.ts'

/** Work: of an invoice that was not collected, or is owed no more. */
export async function hearOfInvoice(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const seen = await findInvoice(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to hear.
    if (seen.dunningDueAt !== null) await hear(tx, await hold(tx, { ...seen, invoiceId: seen.id }))
  })
}

/** Hears of what happened, unless that was heard already. */
export async function hear(tx: Tx, held: Held): Promise<void> {
  if (held.invoice.dunningDueAt === null) return
  if (held.invoice.status === 'open') await goOn(tx, held)
  else await leave(tx, held)
}

/** It was paid, or nobody wants it any more. */
async function leave(tx: Tx, { invoice, campaign }: Held): Promise<void> {
  if (campaign?.status === 'running') await end(tx, campaign, endingFor(invoice))
  await hearAndSchedule(tx, invoice.id, { at: null, campaignId: null })
  await tellSubscription(tx, invoice.subscriptionId, null)
}

async function goOn(tx: Tx, { subscription, invoice, campaign: known }: Held): Promise<void> {
  // Somebody has asked for a try since, with a new card or by hand. It is made before anything else is decided.
  const asked = dueAttemptOf(invoice, tx.now)
  // It has had its campaign. What the customer tries by themselves begins no other.
  const isOver = known === null ? isGivenUp(subscription) : known.status !== 'running'
  if (isOver) return void (await hearAndSchedule(tx, invoice.id, { at: asked, campaignId: null }))
  const campaign = known ?? (await begin(tx, invoice, subscription))
  const { lastFailure } = invoice
  assert(lastFailure !== null, 'An open invoice is told to its campaign when it could not be collected.')
  const failure = { code: lastFailure.code, at: new Date(lastFailure.at), paymentId: lastFailure.payment_id }
  const { later } = declineOf(lastFailure.code)
  const next = afterFailure(
    campaign.steps,
    failure,
    lastFailure.payment_id === null ? 'new_card' : later,
    known === null,
  )
  const noted = await note(tx, campaign, next, known !== null)
  if (next.is === 'exhausted' && asked === null) return end(tx, noted, 'run_out')
  const at = asked ?? (next.is === 'try' ? next.at : null)
  await hearAndSchedule(tx, invoice.id, { at, campaignId: campaign.id })
  if (known === null) await tellSubscription(tx, invoice.subscriptionId, null)
}

/** An older campaign has decided already, for what came due at the same time too. */
const isGivenUp = ({ pause }: Subscription) => pause?.reason === 'payment_failure'

async function note(
  tx: Tx,
  before: DunningCampaign,
  next: ReturnType<typeof afterFailure>,
  isFurther: boolean,
): Promise<DunningCampaign> {
  const waitsFor = next.is === 'wait' ? next.waitsFor : null
  const after = await store.updateCampaign(tx, before, { steps: next.steps, waitsFor }, isFurther)
  if (isFurther) tx.emit(campaignStepFailed, { before, after })
  return after
}

async function begin(tx: Tx, invoice: Invoice, subscription: Subscription): Promise<DunningCampaign> {
  const policy = await policyOf(tx, subscription.dunningPolicyId)
  const failedAt = new Date(invoice.lastFailure?.at ?? tx.now)
  // On a test clock the same story is told the same way each time, whatever its objects are called.
  const key = tx.testClockId === null ? invoice.id : failedAt.toISOString()
  const steps = planSteps(policy, { failedAt, interval: subscription.interval, key })
  const campaign = await store.insertCampaign(tx, {
    ...{ invoiceId: invoice.id, subscriptionId: invoice.subscriptionId, customerId: invoice.customerId },
    ...{ policy, failedAt, steps, endsAt: steps.at(-1)?.plannedAt ?? failedAt },
  })
  tx.emit(campaignStarted, { after: campaign })
  return campaign
}

/** A copy: what is changed later holds for later campaigns. */
async function policyOf(tx: Tx, id: string | null): Promise<CampaignPolicy> {
  const terms = id === null ? usualTerms : await findDunningPolicy(tx, id)
  const { retryDays, localHour, jitterMinutes, grace, final } = terms
  return { id, retryDays, localHour, jitterMinutes, grace, final }
}
