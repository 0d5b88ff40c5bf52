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
  type Invoice,
  lockInvoice,
  scheduleAttempt,
  voidInvoiceIn,
} from '../../invoices/service.ts'
import { exhaustDunning } from '../../subscriptions/service.ts'
import type { DunningCampaign, Status } from '../dunning-campaign.ts'
import * as events from '../events.ts'
import { dunningCampaignMachine, type Trigger } from '../machine.ts'
import * as store from '../store.ts'
import { finalActionOf } from './expect.ts'

/** A payment that is under way may still succeed, so nothing final happens meanwhile. */
const patienceSeconds = 3_600

/** Work: its time is over. */
export async function endCampaign(deps: Deps, ref: Ref<'dunning_campaign'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const seen = await store.findCampaign(tx, ref.id)
    // The invoice first, as everybody does: two that lock in another order would wait for each other.
    const invoice = await lockInvoice(tx, seen.invoiceId)
    const campaign = await store.lockCampaign(tx, ref.id)
    if (campaign.dueAt === null || campaign.dueAt > tx.now) return
    if (isUnderWay(invoice, tx.now)) {
      await store.updateCampaign(tx, campaign, { dueAt: addSeconds(tx.now, patienceSeconds) }, false)
      return
    }
    await end(tx, campaign, 'run_out')
  })
}

/** Also the last try, which is made when the time is over. */
function isUnderWay({ livePaymentId, nextAttemptAt, dunningDueAt }: Invoice, now: Date): boolean {
  const isTriedYet = nextAttemptAt !== null && nextAttemptAt <= now
  return livePaymentId !== null || dunningDueAt !== null || isTriedYet
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
  const invoice = await scheduleAttempt(tx, invoiceId, { at: null, campaignId: null })
  if (policy.final.invoice === 'uncollectible') await giveUpInvoiceIn(tx, invoiceId)
  if (policy.final.invoice === 'void') await voidInvoiceIn(tx, invoiceId, 'requested')
  const action = finalActionOf(invoice, policy)
  await exhaustDunning(tx, subscriptionId, action)
  if (action !== 'pause' && action !== 'cancel') return
  for (const other of await store.lockRunning(tx, subscriptionId)) {
    await end(tx, other, 'stop')
    await scheduleAttempt(tx, other.invoiceId, { at: null, campaignId: null })
  }
}
