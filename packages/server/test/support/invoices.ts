// Creates draft invoices like those of subscriptions, for tests of their lifecycle.

import type { Deps } from '../../src/deps.ts'
import { draftInvoice, type Invoice } from '../../src/domains/billing/invoices/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Currency } from '../../src/kernel/currency.ts'
import { type Id, idFromUuid, idMaker, type Kind, modeOf, slotOf } from '../../src/kernel/id.ts'
import { draftLine, type InvoiceDraft, type LineDraft } from '../../src/kernel/invoice-lines.ts'
import { type Tx, transact } from '../../src/platform/db/unit-of-work.ts'

export function inTransaction<T>(deps: Deps, workspace: string, action: (tx: Tx) => Promise<T>): Promise<T> {
  const workspaceId = workspace as Id<'workspace'>
  return transact(deps, systemCaller({ workspaceId, id: workspaceId }), action)
}

/** An id of an object that does not exist, such as a subscription that a test does not need. */
export function anId<K extends Kind>(workspace: string, kind: K): Id<K> {
  const workspaceId = workspace as Id<'workspace'>
  return idFromUuid(kind, modeOf(workspaceId), idMaker(new Date(), slotOf(workspaceId))())
}

export type InvoiceOptions = Partial<InvoiceDraft> & {
  readonly customerId: InvoiceDraft['customerId']
  /** The total of the default line. A negative total becomes credit. */
  readonly amount?: number
}

/** Creates a draft, by default for one month. */
export function createDraftInvoice(deps: Deps, workspace: string, options: InvoiceOptions): Promise<Invoice> {
  return inTransaction(deps, workspace, (tx) => draftInvoice(tx, buildInvoiceDraft(tx, workspace, options)))
}

export function buildInvoiceDraft(
  tx: Pick<Tx, 'now'>,
  workspace: string,
  { amount = 2999, ...options }: InvoiceOptions,
): InvoiceDraft {
  const currency = options.currency ?? 'eur'
  const startAt = tx.now
  const endAt = new Date(startAt.getTime() + 30 * 86_400_000)
  return {
    id: anId(workspace, 'invoice'),
    reason: 'cycle',
    subscriptionId: anId(workspace, 'subscription'),
    currency,
    period: { index: 0, epoch: 0, startAt, endAt },
    changeId: null,
    lines: [buildInvoiceLine(amount, { currency, startAt, endAt })],
    paymentMethodId: null,
    paymentRouteId: null,
    collect: 'now',
    finalizeAt: tx.now,
    testClockId: null,
    reducesInvoiceId: null,
    ...options,
  }
}

type ServicePeriod = { readonly currency: Currency; readonly startAt: Date; readonly endAt: Date }

export function buildInvoiceLine(amount: number, { currency, startAt, endAt }: ServicePeriod): LineDraft {
  const seconds = (endAt.getTime() - startAt.getTime()) / 1000
  return draftLine(currency, {
    rule: amount < 0 ? 'unused' : 'full_period',
    unitAmountDecimal: String(Math.abs(amount)),
    quantity: 1,
    priceId: null,
    subscriptionItemId: null,
    service: { startAt, endAt },
    numeratorSeconds: seconds,
    denominatorSeconds: seconds,
    changeId: null,
  })
}
