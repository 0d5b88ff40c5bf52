/** The commands on customers. `deps` opens a transaction; `tx` joins the transaction of the caller. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { type IdRange, newestOf } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { requireClock, withTestClock } from '../../billing/test-clocks/service.ts'
import { applyInput, isSame } from './changes.ts'
import { type Customer, type EmailStatus, emptyDetails } from './customer.ts'
import { customerCreated, customerDeleted, customerUpdated } from './events.ts'
import type { CreateCustomer, CustomerBody } from './schema.ts'
import * as store from './store.ts'

export type { Customer } from './customer.ts'

export async function createCustomer(
  deps: Deps,
  caller: Caller,
  { test_clock_id: clockId = null, ...input }: CreateCustomer,
): Promise<Customer> {
  const clockDeps = clockId === null ? deps : await depsOnTestClock(deps, caller, clockId)
  return transact(clockDeps, caller, (tx) => addCustomer(tx, input))
}

export async function addCustomer(tx: Tx, input: Omit<CreateCustomer, 'test_clock_id'>): Promise<Customer> {
  const customer = await store.insertCustomer(tx, applyInput(emptyDetails, input))
  tx.emit(customerCreated, { after: customer })
  return customer
}

async function depsOnTestClock(deps: Deps, caller: Caller, text: string): Promise<Deps> {
  const { id } = await read(deps, caller, (view) => requireClock(view, text))
  return withTestClock(deps, caller, id)
}

export function getCustomer(deps: Deps, caller: Caller, id: string): Promise<Customer> {
  return read(deps, caller, (view) => store.findCustomer(view, id))
}

/** The newest customers with this address, ignoring case. */
export async function findCustomersByEmail(view: View, email: string): Promise<readonly Customer[]> {
  return (await store.listCustomers(view, newestOf(10), { email })).rows
}

export function listCustomers(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { email?: string | undefined },
) {
  return read(deps, caller, (view) => store.listCustomers(view, range, filter))
}

export function updateCustomer(
  deps: Deps,
  caller: Caller,
  id: string,
  input: CustomerBody & { readonly ifMatch: number | null },
): Promise<Customer> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockCustomer(tx, id)
    if (before.deletedAt !== null) refuse('not_found', { detail: store.missing })
    requireVersion(before, input.ifMatch)
    const details = applyInput(before, input)
    // Nothing changed, so there is no event.
    if (isSame(details, before)) return before

    const after = await store.updateCustomer(tx, before, details)
    tx.emit(customerUpdated, { before, after })
    return after
  })
}

/** Locks the customer, even a deleted one, until the transaction ends. */
export function lockCustomer(tx: Tx, id: string): Promise<Customer> {
  return store.lockCustomer(tx, id)
}

/** Removes all personal data from the row. The empty row stays, because payments refer to it. */
export async function eraseCustomer(tx: Tx, id: string, ifMatch: number | null): Promise<Customer> {
  const before = await store.lockCustomer(tx, id)
  if (before.deletedAt !== null) return before
  requireVersion(before, ifMatch)

  const after = await store.updateCustomer(tx, before, { ...emptyDetails, deletedAt: tx.now })
  // The event has no `previous`, because it must not contain the erased data.
  tx.emit(customerDeleted, { after })
  return after
}

/** Records that e-mails to the address bounce, unless the customer has another address by now. */
export async function setEmailStatus(
  tx: Tx,
  id: Id<'customer'>,
  { email, status }: { readonly email: string; readonly status: EmailStatus },
): Promise<void> {
  const before = await store.lockCustomer(tx, id)
  if (before.email?.toLowerCase() !== email.toLowerCase() || before.emailStatus !== null) return
  const after = await store.updateCustomer(tx, before, { ...applyInput(before, {}), emailStatus: status })
  tx.emit(customerUpdated, { before, after })
}

/** Optimistic concurrency with If-Match. */
function requireVersion(customer: Customer, ifMatch: number | null): void {
  if (ifMatch !== null && ifMatch !== customer.version) refuse('version_mismatch')
}

/** Also finds a deleted customer, whose data is erased. */
export function findAnyCustomer(view: View, id: Id<'customer'>): Promise<Customer> {
  return store.findAnyCustomer(view, id)
}

/** Also finds deleted customers, in one statement. */
export function findAnyCustomers(view: View, ids: readonly Id<'customer'>[]): Promise<Customer[]> {
  return store.findAnyCustomers(view, ids)
}

/**
 * The customer that a request body refers to. Refuses if the customer is deleted. The customer cannot be
 * deleted until the transaction ends.
 */
export function requireCustomer(tx: Tx, id: string): Promise<Customer> {
  return store.requireCustomer(tx, id)
}

/** The test clock of a customer. Null if there is none, or no such customer. */
export function customerClockId(view: View, id: string): Promise<Id<'test_clock'> | null> {
  return store.customerClockId(view, id)
}

/** Like `requireCustomer`, but returns whether the customer exists instead of failing. */
export function customerExists(tx: Tx, id: Id<'customer'>): Promise<boolean> {
  return store.customerExists(tx, id)
}
