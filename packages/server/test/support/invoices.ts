// Invoices as a subscription drafts them, for tests of what becomes of them.

import type { Deps } from '../../src/deps.ts'
import { draftInvoice, type Invoice } from '../../src/domains/invoices/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Currency } from '../../src/kernel/currency.ts'
import { type Id, idFromUuid, idMaker, type Kind, modeOf, slotOf } from '../../src/kernel/id.ts'
import { draftLine, type InvoiceDraft, type LineDraft } from '../../src/kernel/invoice-lines.ts'
import { type Tx, transact } from '../../src/platform/db/unit-of-work.ts'

export type Owner = Id<'workspace'>

export function inUnit<T>(deps: Deps, owner: string, body: (tx: Tx) => Promise<T>): Promise<T> {
  const workspaceId = owner as Owner
  return transact(deps, systemCaller({ workspaceId, id: workspaceId }), body)
}

/** An id of nobody, as that of a subscription that this test does without. */
export function anId<K extends Kind>(owner: string, kind: K): Id<K> {
  const workspaceId = owner as Owner
  return idFromUuid(kind, modeOf(workspaceId), idMaker(new Date(), slotOf(workspaceId))())
}

export type Wish = Partial<InvoiceDraft> & {
  readonly customerId: InvoiceDraft['customerId']
  /** What it comes to, if it has no lines of its own; below zero it is taken back. */
  readonly amount?: number
}

/** A draft of one month for one seat, unless it says otherwise. */
export function draftIn(deps: Deps, owner: string, wish: Wish): Promise<Invoice> {
  return inUnit(deps, owner, (tx) => draftInvoice(tx, draftOf(tx, owner, wish)))
}

export function draftOf(tx: Pick<Tx, 'now'>, owner: string, { amount = 2999, ...wish }: Wish): InvoiceDraft {
  const currency = wish.currency ?? 'eur'
  const startAt = tx.now
  const endAt = new Date(startAt.getTime() + 30 * 86_400_000)
  return {
    id: anId(owner, 'invoice'),
    reason: 'cycle',
    subscriptionId: anId(owner, 'subscription'),
    currency,
    period: { index: 0, epoch: 0, startAt, endAt },
    changeId: null,
    lines: [lineOf(amount, { currency, startAt, endAt })],
    paymentMethodId: null,
    paymentRouteId: null,
    collect: 'now',
    finalizeAt: tx.now,
    testClockId: null,
    reducesInvoiceId: null,
    ...wish,
  }
}

type Service = { readonly currency: Currency; readonly startAt: Date; readonly endAt: Date }

export function lineOf(amount: number, { currency, startAt, endAt }: Service): LineDraft {
  const seconds = (endAt.getTime() - startAt.getTime()) / 1000
  return draftLine(currency, {
    ...{ rule: amount < 0 ? 'unused' : 'full_period', unitAmountDecimal: String(Math.abs(amount)) },
    ...{ quantity: 1, priceId: null, subscriptionItemId: null, service: { startAt, endAt } },
    ...{ numeratorSeconds: seconds, denominatorSeconds: seconds, changeId: null },
  })
}
