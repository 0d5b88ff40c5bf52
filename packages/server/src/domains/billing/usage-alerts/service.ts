/**
 * The commands for usage alerts, and their evaluation. Alerts are evaluated in the transaction that adds events to
 * the usage, so a threshold that was reached cannot be missed if the process is stopped, and once more when a usage period
 * is billed. A constraint of the table guarantees that an alert triggers once for each customer and period.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import type { Id } from '../../../kernel/id.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../../payments/customers/service.ts'
import { usageAlertCreated, usageAlertTriggered, usageAlertUpdated } from './events.ts'
import type { CreateUsageAlert, UpdateUsageAlert } from './schema.ts'
import * as store from './store/alerts.ts'
import {
  type Candidate,
  type CountedEvents,
  findCandidates,
  findCandidatesOf,
  insertReached,
} from './store/triggers.ts'
import {
  applyToUsageAlert,
  isSameUsageAlert,
  type UsageAlert,
  type UsageAlertTrigger,
} from './usage-alert.ts'

export type { UsageAlert, UsageAlertTrigger } from './usage-alert.ts'

export function createUsageAlert(deps: Deps, caller: Caller, input: CreateUsageAlert): Promise<UsageAlert> {
  if (Number(input.threshold) === 0) refuseMember('/threshold', 'too_small', 'must be above 0')
  return transact(deps, caller, async (tx) => {
    const { customer_id: customer = null } = input
    const terms = {
      meterId: await store.requireMeter(tx, input.meter_id, '/meter_id'),
      customerId: customer === null ? null : (await requireCustomer(tx, customer)).id,
      threshold: input.threshold,
    }
    const details = { name: input.name, active: true, metadata: mergeMetadata({}, input.metadata ?? {}) }
    const after = await store.insertUsageAlert(tx, terms, details)
    tx.emit(usageAlertCreated, { after })
    return after
  })
}

export function getUsageAlert(deps: Deps, caller: Caller, id: string): Promise<UsageAlert> {
  return read(deps, caller, (view) => store.findUsageAlert(view, id))
}

type Filter = { readonly meter_id?: string | undefined; readonly customer_id?: string | undefined }

export function listUsageAlerts(deps: Deps, caller: Caller, range: IdRange, filter: Filter) {
  const { meter_id, customer_id } = filter
  requireOneFilter({ meter_id, customer_id })
  const filters = {
    meterUuid: uuidInFilter('meter', caller.mode, meter_id),
    customerUuid: uuidInFilter('customer', caller.mode, customer_id),
  }
  return read(deps, caller, (view) => store.listUsageAlerts(view, range, filters))
}

export function updateUsageAlert(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateUsageAlert & { readonly ifMatch: number | null },
): Promise<UsageAlert> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockUsageAlert(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = applyToUsageAlert(before, input)
    if (isSameUsageAlert(details, before)) return before
    const after = await store.updateUsageAlert(tx, before, details)
    tx.emit(usageAlertUpdated, { before, after })
    return after
  })
}

export function listTriggers(deps: Deps, caller: Caller, id: string, range: IdRange) {
  return read(deps, caller, async (view) => {
    const alert = await store.findUsageAlert(view, id)
    return store.listTriggers(view, range, alert.id)
  })
}

/** How many candidates one statement evaluates. */
const batchSize = 500

/**
 * Triggers the alerts whose thresholds were reached by the events that were just added to the usage. The caller holds
 * the lock on the cursor of the events, so the usage does not change until the commit.
 */
export async function triggerUsageAlerts(tx: Tx, events: CountedEvents): Promise<void> {
  await triggerReached(tx, await findCandidates(tx, events), events.to)
}

/**
 * Triggers the alerts whose thresholds were reached in the periods of a subscription by events that were counted before the
 * period began, because the subscription was renewed late. The caller holds the lock on the cursor of the events; all events up
 * to `counted` are included.
 */
export async function triggerAlertsOfPeriods(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
  counted: bigint,
): Promise<void> {
  await triggerReached(tx, await findCandidatesOf(tx, subscriptionId), counted)
}

async function triggerReached(tx: Tx, candidates: readonly Candidate[], to: bigint): Promise<void> {
  const triggers: UsageAlertTrigger[] = []
  for (let from = 0; from < candidates.length; from += batchSize)
    triggers.push(...(await insertReached(tx, candidates.slice(from, from + batchSize), to)))
  for (const after of triggers) tx.emit(usageAlertTriggered, { after })
}
