// Processes the due work of a billing scenario, and finishes the scenario after its last step.

import type { WorkType } from '../../src/deps.ts'
import { dunInvoices, endDunningCampaigns } from '../../src/domains/billing/dunning-campaigns/work.ts'
import {
  applyPaymentResults,
  collectInvoices,
  finalizeInvoices,
  reopenInvoices,
} from '../../src/domains/billing/invoices/work.ts'
import { aggregateMeterEvents } from '../../src/domains/billing/meters/work.ts'
import {
  advanceSubscriptionsWork,
  applyInvoiceResultsWork,
  billUsageWork,
} from '../../src/domains/billing/subscriptions/work.ts'
import { advanceTestClocks } from '../../src/domains/billing/test-clocks/work.ts'
import {
  applyCheckoutPaymentResults,
  expireCheckoutSessions,
} from '../../src/domains/payments/checkout-sessions/work.ts'
import { uuidOf } from '../../src/kernel/id.ts'
import { paymentHandlers, processDueWork, setFinalProviderState } from './finish-payments.ts'
import { advanceTime, type DueItem, type DueWorkSource, type ScenarioRun } from './scenario-run.ts'
import { callApi } from './send-request.ts'

const handlers: Readonly<Record<string, WorkType>> = {
  ...paymentHandlers,
  finalize: finalizeInvoices,
  collect: collectInvoices,
  settle_invoice: applyPaymentResults,
  reopen: reopenInvoices,
  advance: advanceSubscriptionsWork,
  settle_subscription: applyInvoiceResultsWork,
  dun: dunInvoices,
  end_campaign: endDunningCampaigns,
  bill_usage: billUsageWork,
  count_usage: aggregateMeterEvents,
  expire_session: expireCheckoutSessions,
  settle_session: applyCheckoutPaymentResults,
  advance_clock: advanceTestClocks,
}

const inScenario = 'workspace_id = $1 and id >= $2'
const isOnWallClock = 'and test_clock_id is null'

/** Due work, except work on a test clock, which runs when the clock is advanced. */
const text = `select 'resolve' as work, payment_id as id, min(due_at) as at, false as hold from operations
    where workspace_id = $1 and payment_id >= $2 and due_at is not null ${isOnWallClock} group by payment_id
  union all select 'expire', id, due_at, status = 'requires_capture' from payments
    where ${inScenario} and due_at is not null and settled_at is null ${isOnWallClock}
  union all select 'reopen', invoice_id, due_at, false from payments
    where ${inScenario} and due_at is not null and settled_at is not null ${isOnWallClock}
  union all select 'provider_event', id, due_at, false from provider_events where ${inScenario} and due_at is not null
  union all select 'finalize', series_id, min(finalize_at), false from invoices
    where ${inScenario} and finalize_at is not null ${isOnWallClock} group by series_id
  union all select 'collect', id, collect_at, false from invoices
    where ${inScenario} and collect_at is not null ${isOnWallClock}
  union all select 'settle_invoice', invoices.id, payments.updated_at, false from invoices
    join payments on payments.workspace_id = invoices.workspace_id and payments.id = invoices.live_payment_id
    where invoices.workspace_id = $1 and invoices.id >= $2 and invoices.test_clock_id is null
      and payments.status in ('succeeded', 'failed', 'cancelled')
  union all select 'advance', id, next_action_at, false from subscriptions
    where ${inScenario} and next_action_at is not null ${isOnWallClock}
  union all select 'settle_subscription', subscription_id, min(subscription_due_at), false from invoices
    where ${inScenario} and subscription_due_at is not null ${isOnWallClock} group by subscription_id
  union all select 'dun', id, dunning_due_at, false from invoices
    where ${inScenario} and dunning_due_at is not null ${isOnWallClock}
  union all select 'end_campaign', id, due_at, false from dunning_campaigns
    where ${inScenario} and due_at is not null ${isOnWallClock}
  union all select 'bill_usage', subscription_id, min(due_at), false from usage_periods
    where ${inScenario} and due_at is not null ${isOnWallClock} group by subscription_id
  union all select 'count_usage', workspace_id, due_at, false from meter_streams
    where workspace_id = $1 and due_at is not null
  union all select 'expire_session', id, due_at, false from checkout_sessions where ${inScenario} and due_at is not null
  union all select 'settle_session', sessions.id, payments.updated_at, false from checkout_sessions as sessions
    join payments on payments.workspace_id = sessions.workspace_id and payments.id = sessions.live_payment_id
    where sessions.workspace_id = $1 and sessions.id >= $2
      and payments.status in ('succeeded', 'requires_capture', 'failed', 'cancelled')
  union all select 'advance_clock', id, due_at, false from test_clocks where ${inScenario} and due_at is not null
  order by 3`

async function findDueWork({ harness, workspace, floor }: ScenarioRun): Promise<DueItem[]> {
  const values = [uuidOf(workspace.workspaceId), floor]
  const { rows } = await harness.installation
    .ownerOf(workspace.workspaceId)
    .query({ name: 'due_billing_work', text, values })
  return rows.map((row) => ({
    work: row.work,
    id: row.id,
    atMs: row.at.getTime(),
    isAuthorizationExpiry: row.hold,
  }))
}

export const dueBillingWork: DueWorkSource = { handlers, findDueWork }

const maxRounds = 150
/** Longer than an activation waits for its payment, and longer than it takes to resolve unknown outcomes. */
const followUpMs = 30 * 3_600_000
/** Longer than it takes until usage is billed and late events are part of a correction. */
const usageFollowUpMs = 40 * 24 * 3_600_000

/** Processes work until payments have ended. Subscriptions renew forever, so they run for a limited time. */
export async function finishBilling(
  run: ScenarioRun,
  { clockId, hasUsage }: { readonly clockId: string | null; readonly hasUsage: boolean },
): Promise<void> {
  await setFinalProviderState(run)
  await processUntilIdle(run, hasUsage ? usageFollowUpMs : followUpMs)
  if (clockId === null) return
  // On a test clock nothing happens until it is advanced.
  for (let round = 0; round < clockRounds; round += 1) await advanceClock(run, clockId, 'PT20H')
  // Unknown outcomes are looked up for a week, and an attempt may have started late.
  for (let round = 0; round < lookupRounds && (await hasUnknownOutcome(run)); round += 1)
    await advanceClock(run, clockId, 'P4D')
}

const clockRounds = 3
const lookupRounds = 3

async function advanceClock(run: ScenarioRun, clockId: string, by: string): Promise<void> {
  if (run.violations.length > 0) return
  await advanceTime(run, 600_000)
  await callApi(run, 'POST', `/test-clocks/${clockId}/advance`, { payload: { by } })
  await processUntilIdle(run, followUpMs)
}

async function hasUnknownOutcome({ harness, workspace, floor }: ScenarioRun): Promise<boolean> {
  const { rows } = await harness.installation
    .ownerOf(workspace.workspaceId)
    .query(
      `select from operations where workspace_id = $1 and payment_id >= $2 and due_at is not null limit 1`,
      [uuidOf(workspace.workspaceId), floor],
    )
  return rows.length > 0
}

async function processUntilIdle(run: ScenarioRun, forMs: number): Promise<void> {
  const { harness } = run
  const untilMs = harness.clock.nowMs() + forMs
  for (let round = 0; round < maxRounds && run.violations.length === 0; round += 1) {
    const { later } = await processDueWork(run, { concurrently: false, fault: null })
    // The database may time out on a busy machine.
    if (later === null) continue
    const next = later.find(
      ({ work, atMs, isAuthorizationExpiry }) =>
        !isAuthorizationExpiry && (work === 'resolve' || atMs <= untilMs),
    )
    if (next === undefined) return
    await advanceTime(run, Math.max(0, next.atMs - harness.clock.nowMs()))
  }
  if (run.violations.length === 0) run.violations.push('still busy: the scenario does not become idle')
}
