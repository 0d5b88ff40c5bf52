/** Sends an invoice to the customer by e-mail. A draft is finalized first. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { allowedActions } from '../../../../kernel/machine.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { findAnyCustomer } from '../../../payments/customers/service.ts'
import { invoiceSent } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import { invoiceMachine } from '../machine.ts'
import * as store from '../store/invoices.ts'
import { finalizeInTx } from './finalize.ts'
import { mailCustomers } from './mails.ts'
import { prepareTax } from './tax.ts'
import { factsOf } from './transition.ts'

export async function sendInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  await prepareTax(deps, caller, id)
  return transact(deps, caller, async (tx) => {
    const found = await store.findInvoice(tx, id)
    await requireSendable(tx, found)
    const before = found.status === 'draft' ? await finalizeInTx(tx, found) : await store.lockInvoice(tx, id)
    if (before.status === 'void') refuseToSend(before, 'A void invoice cannot be sent.')
    const after = await store.updateInvoice(tx, before, { sentAt: tx.now }, true)
    tx.emit(invoiceSent, { before, after })
    // Each request sends one e-mail. The version distinguishes them.
    await mailCustomers(tx, 'invoice_sent', [after], after.version)
    return after
  })
}

async function requireSendable(tx: Tx, invoice: Invoice): Promise<void> {
  const { email } = await findAnyCustomer(tx, invoice.customerId)
  if (email === null)
    refuseToSend(invoice, 'The customer has no e-mail address. Add one, or share `hosted_invoice_url`.')
}

function refuseToSend(invoice: Invoice, detail: string): never {
  return refuse('invalid_state', {
    detail,
    current_status: invoice.status,
    allowed_actions: allowedActions(invoiceMachine, invoice.status, factsOf(invoice)),
  })
}
