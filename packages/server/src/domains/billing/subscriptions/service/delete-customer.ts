/**
 * Deletes a customer. A customer whose data was erased must not be billed. Finalized invoices keep their copy of the
 * customer until the legal retention period ends.
 */
import type { Deps } from '../../../../deps.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type Customer, lockCustomer } from '../../../payments/customers/service.ts'
import { eraseCustomerAndMethods } from '../../../payments/payment-methods/service.ts'
import { scheduleErasure } from '../../invoices/service/parties.ts'
import { lockOpenInvoices, withdrawInvoice } from '../../invoices/service.ts'
import { wakeTestClock, withTestClock } from '../../test-clocks/service.ts'
import { planCommand } from '../plan/plan.ts'
import { lockUncancelledOf } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { applyInvoiceResults } from './apply-invoice-results.ts'
import { testClockOfCustomer } from './commands.ts'
import { idFactoryOf, withPaidAmount } from './load-snapshot.ts'
import { sendPayment } from './send.ts'
import { type PaymentToSend, storePlans } from './store-plans.ts'

type DeletionOptions = {
  readonly ifMatch: number | null
  /** What to do with subscriptions that are not cancelled and with unpaid invoices. */
  readonly subscriptions: 'refuse' | 'cancel'
}

export async function deleteCustomer(
  deps: Deps,
  caller: Caller,
  id: string,
  { ifMatch, subscriptions: subscriptionsOption }: DeletionOptions,
): Promise<Customer> {
  const clockDeps = await withTestClock(deps, caller, await testClockOfCustomer(deps, caller, id))
  const { customer, paymentsToSend } = await transact(
    clockDeps,
    caller,
    async (tx): Promise<DeletionResult> => {
      // Lock the customer first: no other subscription can be created for them during the transaction.
      const before = await lockCustomer(tx, id)
      if (before.deletedAt !== null) return { customer: before, paymentsToSend: [] }
      const uncancelled = await lockUncancelledOf(tx, before.id)
      if (subscriptionsOption === 'refuse') await requireUnused(tx, before.id, uncancelled)
      const refunds = await cancelAll(tx, before.id, uncancelled)
      const customer = await eraseCustomerAndMethods(tx, id, ifMatch)
      await scheduleErasure(tx, customer.id)
      return { customer, paymentsToSend: refunds }
    },
  )
  for (const paymentToSend of paymentsToSend) deps.runInBackground(sendPayment(clockDeps, paymentToSend))
  return customer
}

type DeletionResult = { readonly customer: Customer; readonly paymentsToSend: readonly PaymentToSend[] }

async function requireUnused(
  tx: Tx,
  id: Id<'customer'>,
  uncancelled: readonly Subscription[],
): Promise<void> {
  const open = await lockOpenInvoices(tx, id)
  if (uncancelled.length + open.length > 0) refuseInUse(uncancelled, open)
}

/** Cancels all subscriptions of the customer, and withdraws all open invoices. */
async function cancelAll(
  tx: Tx,
  id: Id<'customer'>,
  uncancelled: readonly Subscription[],
): Promise<PaymentToSend[]> {
  const paymentsToSend: PaymentToSend[] = []
  for (const subscription of uncancelled) paymentsToSend.push(...(await cancelNow(tx, subscription)))
  for (const invoice of await lockOpenInvoices(tx, id)) await withdrawInvoice(tx, invoice.id, 'requested')
  if (uncancelled.length > 0) await wakeTestClock(tx)
  return paymentsToSend
}

/** Cancels immediately. Open invoices are voided, which ends dunning; a charge in progress is refunded. */
async function cancelNow(tx: Tx, subscription: Subscription): Promise<readonly PaymentToSend[]> {
  const { snapshot, paymentsToSend } = await applyInvoiceResults(tx, subscription)
  if (snapshot.subscription.status === 'cancelled') return paymentsToSend
  const options = { unusedTime: 'forfeit', openInvoices: 'void', feedback: null } as const
  const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
  const plan = planCommand(
    await withPaidAmount(tx, snapshot),
    { kind: 'cancel', at: 'now', options },
    context,
  )
  await storePlans(tx, [{ snapshot, plan }])
  return paymentsToSend
}

const maxListed = 20

function refuseInUse(
  uncancelled: readonly Subscription[],
  open: readonly { readonly id: Id<'invoice'>; readonly status: string }[],
): never {
  const listed = [
    ...uncancelled.map(({ id, status }) => `${id} (${status})`),
    ...open.map(({ id, status }) => `${id} (${status})`),
  ]
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : ''
  return refuse('object_in_use', {
    detail: `The customer still has ${listed.slice(0, maxListed).join(', ')}${more}. Cancel or settle them first, or delete the customer with subscriptions=cancel.`,
    resource_id: (uncancelled[0] ?? open[0])?.id as string,
  })
}
