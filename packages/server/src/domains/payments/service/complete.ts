/**
 * A payer who has to act. Our address leads to the provider's page and takes them back; what they bring along is
 * handed to the provider, which says what it means, and decides nothing here.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { orAfter } from '../../../platform/engine/nap.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { readLink } from '../payer-link.ts'
import { isOpen, type Operation, type Payment } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { findPayment, lockPayment } from '../store/payments.ts'
import { follow } from './follow.ts'
import { leaseSeconds } from './intend.ts'
import { complete } from './perform.ts'
import { record } from './record.ts'
import { tell } from './tell.ts'

/** A payer looks at an empty page meanwhile. What takes longer goes on without them. */
const patienceMs = 10_000

/** Where the payer goes now; null: nowhere, since the merchant gave no address. */
export type WayOn = { readonly to: string | null }

/** To the provider's page, as long as the payer is awaited there. */
export async function forwardPayer(deps: Deps, mode: Mode, link: string): Promise<WayOn> {
  const ref = requireLink(deps, mode, link)
  const payment = await read(deps, systemCaller(ref), (view) => findPayment(view, ref.id))
  return { to: payment.nextAction?.target ?? merchantsAddress(payment) }
}

/** Asks the provider what became of it, and sends the payer on, known or not. */
export async function returnPayer(
  deps: Deps,
  mode: Mode,
  link: string,
  returnParams: Readonly<Record<string, string>>,
): Promise<WayOn> {
  const ref = requireLink(deps, mode, link)
  const { payment, operation } = await transact(deps, systemCaller(ref), (tx) => takeBack(tx, ref.id))
  // A page that is loaded twice asks once.
  if (operation !== null) {
    const completing = completeWith(deps, ref, operation, returnParams)
    deps.later(completing)
    await orAfter(patienceMs, completing, undefined)
  }
  return { to: merchantsAddress(payment) }
}

async function completeWith(
  deps: Deps,
  ref: Ref<'payment'>,
  operation: Operation,
  returnParams: Readonly<Record<string, string>>,
): Promise<void> {
  const caller = systemCaller(ref)
  crashpoint('payer.returned')
  const seen = await complete(deps, caller, operation, returnParams)
  crashpoint('payer.answered')
  const startedMs = monotonicMs()
  const reached = await transact(deps, caller, (tx) => record(deps, tx, ref.id, operation.id, seen))
  await follow(deps, ref, reached, startedMs)
}

function requireLink({ linkKeys }: Deps, mode: Mode, link: string): Ref<'payment'> {
  return (
    readLink(linkKeys, mode, link) ?? refuse('not_found', { detail: 'There is nothing at this address.' })
  )
}

type TakenBack = { readonly payment: Payment; readonly operation: Operation | null }

/** The provider is about to be asked, under a new lease. If this process dies, the resolver looks. */
async function takeBack(tx: Tx, id: Ref<'payment'>['id']): Promise<TakenBack> {
  const before = await lockPayment(tx, id)
  if (before.status !== 'requires_action') return { payment: before, operation: null }
  const awaited = (await operations.listOperations(tx, id)).find((one) => isOpen(one) && one.challenged)
  if (awaited === undefined) return { payment: before, operation: null }
  const { to } = step(paymentMachine, {
    state: before.status,
    trigger: 'payer_returned',
    facts: factsOf(before),
  })
  const leaseUntil = addSeconds(tx.now, leaseSeconds)
  const operation = await operations.updateOperation(tx, awaited, {
    status: 'sending',
    leaseUntil,
    dueAt: leaseUntil,
  })
  const changes = { status: to, nextAction: null, dueAt: null }
  return { payment: await tell(tx, before, changes, events.paymentUpdated), operation }
}

/** With the payment's id and nothing else: what became of it is asked of us, by the merchant's server. */
function merchantsAddress({ returnUrl, id }: Payment): string | null {
  const address = returnUrl === null ? null : URL.parse(returnUrl)
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  address.searchParams.set('payment_id', id)
  return address.href
}
