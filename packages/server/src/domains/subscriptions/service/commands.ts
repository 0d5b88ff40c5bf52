/**
 * What can be done with a subscription. Each verb holds its row, hears of money that has moved, does what is due,
 * and only then what is asked for: the answer never depends on how busy a worker is.
 */
import type { Deps } from '../../../deps.ts'
import { wholeSecond } from '../../../kernel/calendar.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { changePaymentMethod, scheduleAttempt } from '../../invoices/service.ts'
import { usePrices } from '../../products/service.ts'
import { clockOf, touchClock } from '../../test-clocks/service.ts'
import { type ShownSubscription, shown } from '../collection.ts'
import type { Command } from '../plan/commands.ts'
import { planCommand, planNews } from '../plan/plan.ts'
import type {
  CancelSubscription,
  CreateSubscription,
  PauseSubscription,
  ResumeSubscription,
  UpdateSubscription,
} from '../schema/commands.ts'
import { clockIdOf, clockIdOfCustomer } from '../store/read.ts'
import { lockSubscription } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { cancelCommand, pauseCommand, resumeCommand } from '../wishes.ts'
import { carryOut, giveBack, type Sending } from './carry-out.ts'
import { planCreation, writeCreation } from './create.ts'
import { hearOf } from './hear.ts'
import { instantOf, requirePromised } from './promise.ts'
import { drawIn, type Seen, see, withPaid } from './scene.ts'
import { send } from './send.ts'
import { pricesIn } from './terms.ts'
import { updateCommand } from './update.ts'

export async function createSubscription(
  deps: Deps,
  caller: Caller,
  input: CreateSubscription,
): Promise<ShownSubscription> {
  const inTime = await clockOf(deps, caller, await clockOfCustomer(deps, caller, input.customer_id))
  return transact(inTime, caller, async (tx) => {
    const at = instantOf(deps, tx, input.preview_token)
    const { born, plan } = await planCreation(tx, input, at)
    requirePromised(deps, tx, {
      ...{ token: input.preview_token, action: 'create', body: input },
      ...{ of: born.customerId, version: 0, plan, nextDueAt: null },
    })
    return writeCreation(tx, plan, born)
  })
}

export function pauseSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: PauseSubscription & IfMatch,
): Promise<ShownSubscription> {
  return act(deps, caller, id, { ...asked('pause', input), command: async () => pauseCommand(input) })
}

export function resumeSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: ResumeSubscription & IfMatch,
): Promise<ShownSubscription> {
  return act(deps, caller, id, { ...asked('resume', input), command: async () => resumeCommand(input) })
}

export function cancelSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: CancelSubscription & IfMatch,
): Promise<ShownSubscription> {
  return act(deps, caller, id, { ...asked('cancel', input), command: async () => cancelCommand(input) })
}

export function updateSubscription(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateSubscription & IfMatch,
): Promise<ShownSubscription> {
  const { ifMatch: _, ...body } = input
  return act(deps, caller, id, {
    ...asked('update', input),
    command: (tx, subscription) => updateCommand(tx, subscription, body),
  })
}

type IfMatch = { readonly ifMatch: number | null }

type Act = IfMatch & {
  readonly action: 'pause' | 'resume' | 'cancel' | 'update'
  readonly body: object
  readonly token: string | undefined
  readonly command: (tx: Tx, subscription: Subscription) => Promise<Command>
}

function asked(
  action: Act['action'],
  { ifMatch, ...body }: IfMatch & { preview_token?: string | undefined },
) {
  return { action, ifMatch, body, token: body.preview_token }
}

async function act(deps: Deps, caller: Caller, id: string, wish: Act): Promise<ShownSubscription> {
  const inTime = await inTimeOf(deps, caller, id)
  let sendings: readonly (Sending | null)[] = []
  const subscription = await transact(inTime, caller, async (tx) => {
    const before = await lockSubscription(tx, id)
    if (wish.ifMatch !== null && wish.ifMatch !== before.version) refuse('version_mismatch')
    const heard = await hearOf(tx, before)
    const seen = await withPaid(tx, heard.seen)
    const done = await perform(deps, tx, { seen, promisedVersion: before.version, wish })
    sendings = [heard.sending, done.sending]
    return done.subscription
  })
  // Nobody waits for money that goes back; a crash leaves it to the resolver.
  for (const sending of sendings) if (sending !== null) deps.later(send(inTime, sending))
  return subscription
}

type Performed = { readonly subscription: ShownSubscription; readonly sending: Sending | null }
type Performing = { readonly seen: Seen; readonly promisedVersion: number; readonly wish: Act }

async function perform(deps: Deps, tx: Tx, { seen, promisedVersion, wish }: Performing): Promise<Performed> {
  const { subscription } = seen
  const command = await wish.command(tx, subscription)
  const at = wholeSecond(instantOf(deps, tx, wish.token) ?? tx.now)
  const plan = planCommand(seen, command, { at, now: tx.now, draw: drawIn(tx) })
  requirePromised(deps, tx, {
    ...{ token: wish.token, action: wish.action, body: wish.body, plan },
    ...{ of: subscription.id, version: promisedVersion, nextDueAt: subscription.nextActionAt },
  })
  await useNewPrices(tx, subscription, command)
  const [after] = await carryOut(tx, [{ seen, plan }])
  await useNewMethod(tx, seen, after as Subscription)
  await touchClock(tx)
  const sending = await giveBack(tx, { seen, plan })
  const owed = seen.owed.filter((invoice) => !plan.voids.includes(invoice.id))
  return { subscription: shown(after as Subscription, owed), sending }
}

/** Also what is billed from the next period on. A preview uses none: looking must not keep a price for ever. */
async function useNewPrices(tx: Tx, before: Subscription, command: Command): Promise<void> {
  if (command.is !== 'update' || command.wish.items === null) return
  const known = new Set(pricesIn(before))
  const added = pricesIn(command.wish.items).filter((id) => !known.has(id))
  await usePrices(tx, added, '/items')
}

/** What is open is collected with the new card from now on. It is tried at once, once, on what is owed longest. */
async function useNewMethod(tx: Tx, { subscription, owed }: Seen, after: Subscription): Promise<void> {
  if (after.paymentMethodId === subscription.paymentMethodId) return
  for (const { id } of owed) await changePaymentMethod(tx, id, after.paymentMethodId)
  const overdue = owed.filter(({ overdueSinceAt, inFlight }) => overdueSinceAt !== null && !inFlight)
  const [oldest] = overdue.toSorted((a, b) => Number(a.overdueSinceAt) - Number(b.overdueSinceAt))
  if (oldest === undefined || after.paymentMethodId === null) return
  await scheduleAttempt(tx, oldest.id, tx.now)
}

/** After somebody has looked at what was wrong. */
export async function unparkSubscription(deps: Deps, caller: Caller, id: string): Promise<ShownSubscription> {
  const inTime = await inTimeOf(deps, caller, id)
  return transact(inTime, caller, async (tx) => {
    const seen = await see(tx, await lockSubscription(tx, id))
    const moment = { at: wholeSecond(tx.now), now: tx.now, draw: drawIn(tx) }
    const [after] = await carryOut(tx, [{ seen, plan: planNews(seen, { is: 'unparked' }, moment) }])
    await touchClock(tx)
    return shown(after as Subscription, seen.owed)
  })
}

/** What lives on a test clock is asked in its time. Production has none. */
export async function inTimeOf(deps: Deps, caller: Caller, id: string): Promise<Deps> {
  if (caller.mode === 'live') return deps
  return clockOf(deps, caller, await read(deps, caller, (view) => clockIdOf(view, id)))
}

export async function clockOfCustomer(deps: Deps, caller: Caller, id: string) {
  if (caller.mode === 'live') return null
  return read(deps, caller, (view) => clockIdOfCustomer(view, id))
}
