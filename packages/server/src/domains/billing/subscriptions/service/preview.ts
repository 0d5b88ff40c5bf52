/** Computes previews with the same planning code as the commands, without writing anything. */
import type { Deps } from '../../../../deps.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { allowedActions } from '../../../../kernel/machine.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { withTestClock } from '../../test-clocks/service.ts'
import { withAccess } from '../collection.ts'
import { cancelCommand, pauseCommand, resumeCommand } from '../command-input.ts'
import { subscriptionMachine } from '../machine.ts'
import { planDueAction } from '../plan/advance.ts'
import type { Command } from '../plan/commands.ts'
import { nextDue } from '../plan/due.ts'
import { factsOf } from '../plan/facts.ts'
import { planCommand } from '../plan/plan.ts'
import { concatPlans, type Plan, type PlanContext, snapshotAfter } from '../plan/snapshot.ts'
import { previewSeconds } from '../preview-token.ts'
import type { PreviewChange, PreviewCreation } from '../schema/commands.ts'
import type { Preview } from '../schema/preview.ts'
import { findSubscription } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { invoicesWithPendingResults, planInvoiceResults } from './apply-invoice-results.ts'
import { previewUsage } from './bill-usage.ts'
import { testClockOfCustomer, withSubscriptionClock } from './commands.ts'
import { planCreation } from './create.ts'
import { idFactoryOf, type LoadedSnapshot, loadSnapshot, withPaidAmount } from './load-snapshot.ts'
import { withTaxOfCommand } from './load-tax.ts'
import { createPreviewToken } from './preview-claim.ts'
import { updateCommand } from './update.ts'

export async function previewCreation(deps: Deps, caller: Caller, input: PreviewCreation): Promise<Preview> {
  const clockDeps = await withTestClock(
    deps,
    caller,
    await testClockOfCustomer(deps, caller, input.customer_id),
  )
  return transact(clockDeps, caller, async (tx) => {
    const { action: _, ...body } = input
    const at = wholeSecond(tx.now)
    const { initial, plan } = await planCreation(tx, body, at)
    const claim = { action: 'create', body, subjectId: initial.customerId, version: 0, plan }
    const after = plan.steps.at(-1)?.after ?? initial
    return { ...previewOf(after, plan, at), ...createPreviewToken(deps, at, claim) }
  })
}

export async function previewChange(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PreviewChange,
): Promise<Preview> {
  const clockDeps = await withSubscriptionClock(deps, caller, id)
  return transact(clockDeps, caller, async (tx) => {
    const subscription = await findSubscription(tx, id)
    const at = wholeSecond(tx.now)
    const context = { at, now: tx.now, ids: idFactoryOf(tx) }
    const snapshot = await withPaidAmount(tx, await loadSnapshot(tx, subscription))
    const resultsPlan = planInvoiceResults(
      snapshot,
      await invoicesWithPendingResults(tx, subscription.id),
      context,
    )
    const upToDate = { ...snapshot, ...snapshotAfter(snapshot, resultsPlan) }
    if (input.action === 'renew') return previewRenewal(tx, upToDate, context)

    const { action, ...body } = input
    const command = await commandOf(tx, upToDate.subscription, input)
    const plan = planCommand(await withTaxOfCommand(tx, upToDate, command), command, context)
    const after = snapshotAfter(upToDate, plan).subscription
    const claim = { action, body, subjectId: subscription.id, version: subscription.version, plan }
    const preview = previewOf(after, concatPlans(resultsPlan, plan), at, snapshot)
    // Usage is billed later, when events may have been added, so the token does not confirm it.
    const usage = await previewUsage(tx, upToDate.subscription, plan)
    return {
      ...preview,
      invoices: [...preview.invoices, ...usage],
      ...createPreviewToken(deps, at, claim),
    }
  })
}

/** The next invoice, if nothing changes until then. */
async function previewRenewal(tx: Tx, snapshot: LoadedSnapshot, context: PlanContext): Promise<Preview> {
  const { subscription } = snapshot
  const due = nextDue({ ...snapshot, subscription: { ...subscription, scheduledChange: null } })
  if (subscription.status !== 'active' || due === null)
    refuse('invalid_state', {
      detail: 'Only an active subscription has an upcoming renewal.',
      current_status: subscription.status,
      allowed_actions: allowedActions(subscriptionMachine, subscription.status, factsOf(snapshot)),
    })
  const plan = planDueAction(snapshot, due.at, context.ids)
  const after = snapshotAfter(snapshot, plan).subscription
  const expiresAt = addSeconds(context.at, previewSeconds)
  const preview = previewOf(after, plan, due.at, snapshot)
  const usage = await previewUsage(tx, subscription, plan)
  return { ...preview, invoices: [...preview.invoices, ...usage], token: null, expiresAt }
}

function previewOf(
  after: Subscription,
  plan: Plan,
  at: Date,
  { owed }: Pick<LoadedSnapshot, 'owed'> = { owed: [] },
): Omit<Preview, 'token' | 'expiresAt'> {
  const remainingInvoices = owed.filter(({ id }) => !plan.voids.includes(id))
  return {
    at,
    subscription: withAccess(after, remainingInvoices),
    invoices: plan.invoices,
    pendingLines: plan.pendingLines,
  }
}

async function commandOf(tx: Tx, subscription: Subscription, input: PreviewChange): Promise<Command> {
  switch (input.action) {
    case 'pause':
      return pauseCommand(input)
    case 'resume':
      return resumeCommand(input)
    case 'cancel':
      return cancelCommand(input)
    default:
      return updateCommand(tx, subscription, input)
  }
}
