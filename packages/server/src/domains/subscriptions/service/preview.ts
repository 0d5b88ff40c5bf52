/** What would happen, computed by what would do it, and nothing of it written. */
import type { Deps } from '../../../deps.ts'
import { wholeSecond } from '../../../kernel/calendar.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { allowedActions } from '../../../kernel/machine.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { clockOf } from '../../test-clocks/service.ts'
import { shown } from '../collection.ts'
import { subscriptionMachine } from '../machine.ts'
import { advance } from '../plan/advance.ts'
import type { Command } from '../plan/commands.ts'
import { nextDue } from '../plan/due.ts'
import { factsOf } from '../plan/facts.ts'
import { planCommand } from '../plan/plan.ts'
import { joined, type Moment, type Plan, sceneAfter } from '../plan/scene.ts'
import { previewSeconds } from '../preview-token.ts'
import type { PreviewChange, PreviewCreation } from '../schema/commands.ts'
import type { Preview } from '../schema/preview.ts'
import { findSubscription } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { cancelCommand, pauseCommand, resumeCommand } from '../wishes.ts'
import { clockOfCustomer, inTimeOf } from './commands.ts'
import { planCreation } from './create.ts'
import { invoicesWithNews, planHearing } from './hear.ts'
import { promise } from './promise.ts'
import { drawIn, type Seen, see, withPaid } from './scene.ts'
import { updateCommand } from './update.ts'

export async function previewCreation(deps: Deps, caller: Caller, input: PreviewCreation): Promise<Preview> {
  const inTime = await clockOf(deps, caller, await clockOfCustomer(deps, caller, input.customer_id))
  return transact(inTime, caller, async (tx) => {
    const { action: _, ...body } = input
    const at = wholeSecond(tx.now)
    const { born, plan } = await planCreation(tx, body, at)
    const claim = { action: 'create', body, of: born.customerId, version: 0, plan }
    const after = plan.steps.at(-1)?.after ?? born
    return { ...previewed(after, plan, at), ...promise(deps, at, claim) }
  })
}

export async function previewChange(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PreviewChange,
): Promise<Preview> {
  const inTime = await inTimeOf(deps, caller, id)
  return transact(inTime, caller, async (tx) => {
    const subscription = await findSubscription(tx, id)
    const at = wholeSecond(tx.now)
    const moment = { at, now: tx.now, draw: drawIn(tx) }
    const seen = await withPaid(tx, await see(tx, subscription))
    const heard = planHearing(seen, await invoicesWithNews(tx, subscription.id), moment)
    const up = { ...seen, ...sceneAfter(seen, heard) }
    if (input.action === 'renew') return previewRenewal(up, moment)

    const { action, ...body } = input
    const plan = planCommand(up, await commandOf(tx, up.subscription, input), moment)
    const after = sceneAfter(up, plan).subscription
    const claim = { action, body, of: subscription.id, version: subscription.version, plan }
    return { ...previewed(after, joined(heard, plan), at, seen), ...promise(deps, at, claim) }
  })
}

/** The next invoice, as it would be if nothing changed until then. */
function previewRenewal(seen: Seen, moment: Moment): Preview {
  const { subscription } = seen
  const due = nextDue({ ...seen, subscription: { ...subscription, scheduledChange: null } })
  if (subscription.status !== 'active' || due === null)
    refuse('invalid_state', {
      detail: 'Only an active subscription has a renewal to come.',
      current_status: subscription.status,
      allowed_actions: allowedActions(subscriptionMachine, subscription.status, factsOf(seen)),
    })
  const plan = advance(seen, due.at, moment.draw)
  const after = sceneAfter(seen, plan).subscription
  const expiresAt = addSeconds(moment.at, previewSeconds)
  return { ...previewed(after, plan, due.at, seen), token: null, expiresAt }
}

function previewed(
  after: Subscription,
  plan: Plan,
  at: Date,
  { owed }: Pick<Seen, 'owed'> = { owed: [] },
): Omit<Preview, 'token' | 'expiresAt'> {
  const left = owed.filter(({ id }) => !plan.voids.includes(id))
  return {
    at,
    subscription: shown(after, left),
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
