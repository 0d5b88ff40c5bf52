/** What can be done with a customer. `deps` opens a unit of work. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../platform/db/unit-of-work.ts'
import { clockOf, requireClock } from '../test-clocks/service.ts'
import { applyInput, isSame } from './changes.ts'
import { type Customer, nothingKnown } from './customer.ts'
import { customerCreated, customerDeleted, customerUpdated } from './events.ts'
import type { CreateCustomer, CustomerBody } from './schema.ts'
import * as store from './store.ts'

export type { Customer } from './customer.ts'

export async function createCustomer(
  deps: Deps,
  caller: Caller,
  { test_clock_id: clockId = null, ...input }: CreateCustomer,
): Promise<Customer> {
  const timed = clockId === null ? deps : await onClock(deps, caller, clockId)
  return transact(timed, caller, async (tx) => {
    const customer = await store.insertCustomer(tx, applyInput(nothingKnown, input))
    tx.emit(customerCreated, { after: customer })
    return customer
  })
}

async function onClock(deps: Deps, caller: Caller, text: string): Promise<Deps> {
  const { id } = await read(deps, caller, (view) => requireClock(view, text))
  return clockOf(deps, caller, id)
}

export function getCustomer(deps: Deps, caller: Caller, id: string): Promise<Customer> {
  return read(deps, caller, (view) => store.findCustomer(view, id))
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
    // Nothing changed, so there is nothing to tell.
    if (isSame(details, before)) return before

    const after = await store.updateCustomer(tx, before, details)
    tx.emit(customerUpdated, { before, after })
    return after
  })
}

/** Takes all personal data out of the row; the empty row stays, because payments will point to it. */
export async function eraseCustomer(tx: Tx, id: string, ifMatch: number | null): Promise<Customer> {
  const before = await store.lockCustomer(tx, id)
  if (before.deletedAt !== null) return before
  requireVersion(before, ifMatch)

  const after = await store.updateCustomer(tx, before, { ...nothingKnown, deletedAt: tx.now })
  // Without `previous`: what was to be erased must not be told once more.
  tx.emit(customerDeleted, { after })
  return after
}

/** For those who want to change only what they have seen. */
function requireVersion(customer: Customer, seen: number | null): void {
  if (seen !== null && seen !== customer.version) refuse('version_mismatch')
}

/** Also one that was deleted, of whom nothing is known any more. */
export function findAnyCustomer(view: View, id: Id<'customer'>): Promise<Customer> {
  return store.findAnyCustomer(view, id)
}

/** The customer that a body refers to. A deleted one is not there, and until the unit ends nobody deletes it. */
export function requireCustomer(tx: Tx, id: string): Promise<Customer> {
  return store.requireCustomer(tx, id)
}

/** The same for whoever does not mind: whether there still is one. */
export function isCustomerThere(tx: Tx, id: Id<'customer'>): Promise<boolean> {
  return store.isThere(tx, id)
}
