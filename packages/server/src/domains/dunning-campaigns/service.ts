/** What can be done with a dunning campaign. `deps` opens a unit of work. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter } from '../../kernel/filters.ts'
import { isChange, step } from '../../kernel/machine.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, transact } from '../../platform/db/unit-of-work.ts'
import { hearAndSchedule, scheduleAttempt } from '../invoices/service.ts'
import { clockOf, touchClock } from '../test-clocks/service.ts'
import type { DunningCampaign, Status } from './dunning-campaign.ts'
import { dunningCampaignMachine } from './machine.ts'
import { end } from './service/end.ts'
import { stopped, tellSubscription } from './service/expect.ts'
import { hear } from './service/hear.ts'
import { hold } from './service/hold.ts'
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

/** Tries now what would be tried next. It uses up that try. */
export function retryDunningCampaign(deps: Deps, caller: Caller, id: string): Promise<DunningCampaign> {
  return change(deps, caller, id, 'retry')
}

/** Nothing is tried any more. The invoice stays open. */
export function stopDunningCampaign(deps: Deps, caller: Caller, id: string): Promise<DunningCampaign> {
  return change(deps, caller, id, 'stop')
}

async function change(
  deps: Deps,
  caller: Caller,
  id: string,
  trigger: 'retry' | 'stop',
): Promise<DunningCampaign> {
  const seen = await read(deps, caller, (view) => store.findCampaign(view, id))
  const timed = await clockOf(deps, caller, seen.testClockId)
  return transact(timed, caller, async (tx) => {
    await hear(tx, await hold(tx, seen))
    const before = await store.lockCampaign(tx, id)
    const row = step(dunningCampaignMachine, { state: before.status, trigger, facts: {} })
    if (trigger === 'stop') {
      await end(tx, before, 'stop')
      if (isChange(row)) {
        await hearAndSchedule(tx, before.invoiceId, { at: null, campaignId: null })
        await tellSubscription(tx, before.subscriptionId, stopped)
      }
    } else {
      const place = before.steps.findIndex(({ attemptedAt }) => attemptedAt === null)
      const now = { dueAt: tx.now, moved: 'requested' } as const
      const steps = before.steps.map((one, index) => (index === place ? { ...one, ...now } : one))
      await store.updateCampaign(tx, before, { steps, waitsFor: null }, false)
      await scheduleAttempt(tx, before.invoiceId, tx.now)
    }
    await touchClock(tx)
    return store.findCampaign(tx, id)
  })
}
