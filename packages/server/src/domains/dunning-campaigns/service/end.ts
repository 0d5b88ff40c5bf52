/** How a campaign ends, and what follows for what it was about. The caller holds its lock. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { isChange, step } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import {
  giveUpInvoiceIn,
  hearAndSchedule,
  type Invoice,
  lockInvoicesOf,
  voidInvoiceIn,
} from '../../invoices/service.ts'
import { exhaustDunning } from '../../subscriptions/service.ts'
import type { DunningCampaign, Status } from '../dunning-campaign.ts'
import * as events from '../events.ts'
import { dunningCampaignMachine, type Trigger } from '../machine.ts'
import * as store from '../store.ts'
import { finalActionOf } from './expect.ts'
import { dueAttemptOf, endingFor, hold } from './hold.ts'

/** A payment that is under way may still succeed, so nothing final happens meanwhile. */
const patienceSeconds = 3_600

/** Work: its time is over. */
export async function endCampaign(deps: Deps, ref: Ref<'dunning_campaign'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const seen = await store.findCampaign(tx, ref.id)
    const { invoice, campaign } = await hold(tx, seen)
    if (campaign === null || campaign.dueAt === null || campaign.dueAt > tx.now) return
    if (isUnderWay(invoice, tx.now)) {
      await store.updateCampaign(tx, campaign, { dueAt: addSeconds(tx.now, patienceSeconds) }, false)
      return
    }
    await end(tx, campaign, 'run_out')
  })
}

/** Also the last try, which is made when the time is over. */
function isUnderWay(invoice: Invoice, now: Date): boolean {
  const { livePaymentId, dunningDueAt } = invoice
  return livePaymentId !== null || dunningDueAt !== null || dueAttemptOf(invoice, now) !== null
}

type Ending = Exclude<Trigger, 'retry'>

const told: { readonly [S in Exclude<Status, 'running'>]: EventDefinition<DunningCampaign> } = {
  recovered: events.campaignRecovered,
  exhausted: events.campaignExhausted,
  stopped: events.campaignStopped,
}

export async function end(tx: Tx, before: DunningCampaign, trigger: Ending): Promise<void> {
  const row = step(dunningCampaignMachine, { state: before.status, trigger, facts: {} })
  if (!isChange(row)) return
  const changes = { status: row.to, endedAt: tx.now, dueAt: null, waitsFor: null }
  const after = await store.updateCampaign(tx, before, changes, true)
  tx.emit(told[row.to as Exclude<Status, 'running'>], { before, after })
  if (row.effects.includes('final_action')) await finish(tx, after)
}

/** The oldest campaign decides for its subscription. The others have nothing left to decide. */
async function finish(tx: Tx, { invoiceId, subscriptionId, policy }: DunningCampaign): Promise<void> {
  const invoice = await hearAndSchedule(tx, invoiceId, { at: null, campaignId: null })
  if (policy.final.invoice === 'uncollectible') await giveUpInvoiceIn(tx, invoiceId)
  if (policy.final.invoice === 'void') await voidInvoiceIn(tx, invoiceId, 'requested')
  const action = finalActionOf(invoice, policy)
  await exhaustDunning(tx, subscriptionId, action)
  if (action !== 'pause' && action !== 'cancel') return
  const others = await store.lockRunning(tx, subscriptionId)
  const invoices = await lockInvoicesOf(
    tx,
    [subscriptionId],
    others.map((other) => other.invoiceId),
  )
  for (const other of others) {
    // One may have been paid, and its campaign has not heard of it yet.
    const its = invoices.find(({ id }) => id === other.invoiceId) as Invoice
    await end(tx, other, endingFor(its))
    await hearAndSchedule(tx, its.id, { at: null, campaignId: null })
  }
}
