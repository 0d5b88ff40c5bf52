/** The commands for dunning campaigns. Functions that take `deps` open a transaction. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, transact } from '../../../platform/db/unit-of-work.ts'
import { acknowledgeAndSchedule, scheduleAttempt } from '../invoices/service.ts'
import { wakeTestClock, withTestClock } from '../test-clocks/service.ts'
import type { DunningCampaign, Status } from './dunning-campaign.ts'
import { dunningCampaignMachine } from './machine.ts'
import { lockCampaignContext } from './service/campaign-context.ts'
import { closeCampaign } from './service/end.ts'
import { processResult } from './service/process-invoice-result.ts'
import { stoppedDunning, updateSubscriptionDunning } from './service/subscription-dunning.ts'
import * as store from './store.ts'

export type { DunningCampaign } from './dunning-campaign.ts'

export function getDunningCampaign(deps: Deps, caller: Caller, id: string): Promise<DunningCampaign> {
  return read(deps, caller, (view) => store.findCampaign(view, id))
}

export function listDunningCampaigns(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly status?: Status | undefined; readonly subscription_id?: string | undefined },
) {
  const { status, subscription_id: subscription } = filter
  requireOneFilter({ subscription_id: subscription, status })
  const subscriptionUuid = uuidInFilter('subscription', caller.mode, subscription)
  return read(deps, caller, (view) => store.listCampaigns(view, range, { status, subscriptionUuid }))
}

/** Runs the next scheduled attempt now. */
export function retryDunningCampaign(deps: Deps, caller: Caller, id: string): Promise<DunningCampaign> {
  return changeCampaign(deps, caller, id, 'retry')
}

/** Stops all attempts. The invoice stays open. */
export function stopDunningCampaign(deps: Deps, caller: Caller, id: string): Promise<DunningCampaign> {
  return changeCampaign(deps, caller, id, 'stop')
}

async function changeCampaign(
  deps: Deps,
  caller: Caller,
  id: string,
  trigger: 'retry' | 'stop',
): Promise<DunningCampaign> {
  const found = await read(deps, caller, (view) => store.findCampaign(view, id))
  const clockDeps = await withTestClock(deps, caller, found.testClockId)
  return transact(clockDeps, caller, async (tx) => {
    await processResult(tx, await lockCampaignContext(tx, found))
    const before = await store.lockCampaign(tx, id)
    const row = nextTransition(dunningCampaignMachine, { state: before.status, trigger, facts: {} })
    if (trigger === 'stop') {
      await closeCampaign(tx, before, 'stop')
      if (isChange(row)) {
        await acknowledgeAndSchedule(tx, before.invoiceId, { at: null, campaignId: null })
        await updateSubscriptionDunning(tx, before.subscriptionId, stoppedDunning)
      }
    } else {
      const nextIndex = before.steps.findIndex(({ attemptedAt }) => attemptedAt === null)
      const requestedNow = { dueAt: tx.now, moved: 'requested' } as const
      const steps = before.steps.map((retry, index) =>
        index === nextIndex ? { ...retry, ...requestedNow } : retry,
      )
      await store.updateCampaign(tx, before, { steps, waitsFor: null }, false)
      await scheduleAttempt(tx, before.invoiceId, tx.now)
    }
    await wakeTestClock(tx)
    return store.findCampaign(tx, id)
  })
}
