/**
 * The commands for subscriptions. Each command first locks the row and applies payment results and due
 * actions, so that the result does not depend on how late a worker is.
 */

import type { Deps } from '../../../../deps.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { customerClockId } from '../../../payments/customers/service.ts'
import { redeemNew } from '../../discounts/service/attach.ts'
import { changePaymentMethod, scheduleAttempt } from '../../invoices/service.ts'
import { markPricesUsed } from '../../products/service.ts'
import { wakeTestClock, withTestClock } from '../../test-clocks/service.ts'
import { type SubscriptionWithAccess, withAccess } from '../collection.ts'
import { cancelCommand, pauseCommand, resumeCommand } from '../command-input.ts'
import type { Command } from '../plan/commands.ts'
import { planCommand, planExternalEvent } from '../plan/plan.ts'
import type {
  CancelSubscription,
  CreateSubscription,
  PauseSubscription,
  ResumeSubscription,
  UpdateSubscription,
} from '../schema/commands.ts'
import { clockIdOf } from '../store/read.ts'
import { lockSubscription } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { applyInvoiceResults } from './apply-invoice-results.ts'
import { planCreation, writeCreation } from './create.ts'
import { idFactoryOf, type LoadedSnapshot, loadSnapshot, withPaidAmount } from './load-snapshot.ts'
import { withTaxOfCommand } from './load-tax.ts'
import { previewTimeOf, requirePreviewMatch } from './preview-claim.ts'
import { priceIdsOf } from './priced-items.ts'
import { sendPayment } from './send.ts'
import { type PaymentToSend, refundUnusedTime, storePlans } from './store-plans.ts'
import { updateCommand } from './update.ts'

export async function createSubscription(
  deps: Deps,
  caller: Caller,
  input: CreateSubscription,
): Promise<SubscriptionWithAccess> {
  const clockDeps = await withTestClock(
    deps,
    caller,
    await testClockOfCustomer(deps, caller, input.customer_id),
  )
  return transact(clockDeps, caller, async (tx) => {
    const at = previewTimeOf(deps, tx, input.preview_token)
    const { initial, plan } = await planCreation(tx, input, at)
    requirePreviewMatch(deps, tx, {
      token: input.preview_token,
      action: 'create',
      body: input,
      subjectId: initial.customerId,
      version: 0,
      plan,
      nextDueAt: null,
    })
    return writeCreation(tx, plan, initial)
  })
}

export function pauseSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PauseSubscription & IfMatch,
): Promise<SubscriptionWithAccess> {
  return runCommand(deps, caller, id, {
    ...commandRequest('pause', input),
    command: async () => pauseCommand(input),
  })
}

export function resumeSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: ResumeSubscription & IfMatch,
): Promise<SubscriptionWithAccess> {
  return runCommand(deps, caller, id, {
    ...commandRequest('resume', input),
    command: async () => resumeCommand(input),
  })
}

export function cancelSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: CancelSubscription & IfMatch,
): Promise<SubscriptionWithAccess> {
  return cancelSubscriptionAnd(deps, caller, id, { input, record: async () => {} })
}

type RecordedCancellation = {
  readonly input: CancelSubscription & IfMatch
  /** Runs in the transaction that cancels the subscription. If it refuses, nothing is cancelled. */
  readonly record: (tx: Tx, after: Subscription) => Promise<void>
}

export function cancelSubscriptionAnd(
  deps: Deps,
  caller: Caller,
  id: string,
  { input, record }: RecordedCancellation,
): Promise<SubscriptionWithAccess> {
  return runCommand(deps, caller, id, {
    ...commandRequest('cancel', input),
    command: async () => cancelCommand(input),
    record,
  })
}

export function updateSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateSubscription & IfMatch,
): Promise<SubscriptionWithAccess> {
  const { ifMatch: _, ...body } = input
  return runCommand(deps, caller, id, {
    ...commandRequest('update', input),
    command: (tx, subscription) => updateCommand(tx, subscription, body),
  })
}

type IfMatch = { readonly ifMatch: number | null }

type CommandRequest = IfMatch & {
  readonly action: 'pause' | 'resume' | 'cancel' | 'update'
  readonly body: object
  readonly token: string | undefined
  readonly command: (tx: Tx, subscription: Subscription) => Promise<Command>
  readonly record?: RecordedCancellation['record']
}

function commandRequest(
  action: CommandRequest['action'],
  { ifMatch, ...body }: IfMatch & { preview_token?: string | undefined },
) {
  return { action, ifMatch, body, token: body.preview_token }
}

async function runCommand(
  deps: Deps,
  caller: Caller,
  id: string,
  options: CommandRequest,
): Promise<SubscriptionWithAccess> {
  const clockDeps = await withSubscriptionClock(deps, caller, id)
  let paymentsToSend: readonly PaymentToSend[] = []
  const subscription = await transact(clockDeps, caller, async (tx) => {
    const before = await lockSubscription(tx, id)
    if (options.ifMatch !== null && options.ifMatch !== before.version) refuse('version_mismatch')
    const applied = await applyInvoiceResults(tx, before)
    const snapshot = await withPaidAmount(tx, applied.snapshot)
    const result = await planAndStore(deps, tx, { snapshot, previewedVersion: before.version, options })
    await options.record?.(tx, result.subscription)
    paymentsToSend = [...applied.paymentsToSend, ...result.paymentsToSend]
    return result.subscription
  })
  // Refunds are sent in the background. If this process crashes, the payment resolver sends them.
  for (const paymentToSend of paymentsToSend) deps.runInBackground(sendPayment(clockDeps, paymentToSend))
  return subscription
}

type CommandResult = {
  readonly subscription: SubscriptionWithAccess
  readonly paymentsToSend: readonly PaymentToSend[]
}
type CommandInput = {
  readonly snapshot: LoadedSnapshot
  readonly previewedVersion: number
  readonly options: CommandRequest
}

async function planAndStore(
  deps: Deps,
  tx: Tx,
  { snapshot: loaded, previewedVersion, options }: CommandInput,
): Promise<CommandResult> {
  const { subscription } = loaded
  const command = await options.command(tx, subscription)
  const snapshot = await withTaxOfCommand(tx, loaded, command)
  const at = wholeSecond(previewTimeOf(deps, tx, options.token) ?? tx.now)
  const plan = planCommand(snapshot, command, { at, now: tx.now, ids: idFactoryOf(tx) })
  requirePreviewMatch(deps, tx, {
    token: options.token,
    action: options.action,
    body: options.body,
    plan,
    subjectId: subscription.id,
    version: previewedVersion,
    nextDueAt: subscription.nextActionAt,
  })
  await markNewPricesUsed(tx, subscription, command)
  const lastStep = plan.steps.at(-1)
  if (lastStep !== undefined)
    await redeemNew(tx, subscription.discounts, { ...lastStep.after, subscriptionId: subscription.id })
  const [after] = await storePlans(tx, [{ snapshot, plan }])
  await applyNewPaymentMethod(tx, snapshot, after as Subscription)
  await wakeTestClock(tx)
  const paymentsToSend = await refundUnusedTime(tx, { snapshot, plan })
  const owed = snapshot.owed.filter((invoice) => !plan.voids.includes(invoice.id))
  return { subscription: withAccess(after as Subscription, owed), paymentsToSend }
}

/**
 * Marks new prices as used, including those for the next period. Previews do not mark prices, so that a price
 * that was only previewed can be deleted.
 */
async function markNewPricesUsed(tx: Tx, before: Subscription, command: Command): Promise<void> {
  if (command.kind !== 'update' || command.options.items === null) return
  const previousPrices = new Set(priceIdsOf(before))
  const added = priceIdsOf(command.options.items).filter((id) => !previousPrices.has(id))
  await markPricesUsed(tx, added, '/items')
}

/**
 * Unpaid invoices are collected with the new card. The oldest overdue invoice is retried immediately, once.
 */
export async function applyNewPaymentMethod(
  tx: Tx,
  { subscription, owed }: LoadedSnapshot,
  after: Subscription,
): Promise<void> {
  if (after.paymentMethodId === subscription.paymentMethodId) return
  for (const { id } of owed) await changePaymentMethod(tx, id, after.paymentMethodId)
  const overdue = owed.filter(({ overdueSinceAt, inFlight }) => overdueSinceAt !== null && !inFlight)
  const [oldest] = overdue.toSorted((a, b) => Number(a.overdueSinceAt) - Number(b.overdueSinceAt))
  if (oldest === undefined || after.paymentMethodId === null) return
  await scheduleAttempt(tx, oldest.id, tx.now)
}

/** Releases a parked subscription after a manual check. */
export async function unparkSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<SubscriptionWithAccess> {
  const clockDeps = await withSubscriptionClock(deps, caller, id)
  return transact(clockDeps, caller, async (tx) => {
    const snapshot = await loadSnapshot(tx, await lockSubscription(tx, id))
    const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
    const [after] = await storePlans(tx, [
      { snapshot, plan: planExternalEvent(snapshot, { kind: 'unparked' }, context) },
    ])
    await wakeTestClock(tx)
    return withAccess(after as Subscription, snapshot.owed)
  })
}

/** Dependencies with the test clock of the subscription, if it has one. Live mode has no test clocks. */
export async function withSubscriptionClock(deps: Deps, caller: Caller, id: string): Promise<Deps> {
  if (caller.mode === 'live') return deps
  return withTestClock(deps, caller, await read(deps, caller, (view) => clockIdOf(view, id)))
}

export async function testClockOfCustomer(deps: Deps, caller: Caller, id: string) {
  if (caller.mode === 'live') return null
  return read(deps, caller, (view) => customerClockId(view, id))
}
