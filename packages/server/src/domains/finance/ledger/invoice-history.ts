/**
 * Derives the history of an invoice (its business transactions) from its stored state, and determines which postings
 * are missing. Used for invoices that were changed before the ledger existed, or by a process of an older version
 * without the ledger. No side effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { type DatedAct, type DatedPosting, missingPostings, type PostedLine } from './missing-postings.ts'
import { type RevenueAccount, taxedAccountOf, unearnedOf } from './postings.ts'

export type InvoiceHistory = {
  readonly id: Id<'invoice'>
  readonly currency: Currency
  readonly status: string
  readonly total: bigint
  readonly tax: bigint
  /** The part of the tax that credit notes have returned. */
  readonly taxCredited: bigint
  /** The amount that credit notes took from `unearned` before the period ended. */
  readonly unearnedCredited: bigint
  /** The part of the applied credit that comes from credit notes. A void invoice does not return it. */
  readonly creditedOwed: bigint
  readonly amountDue: bigint
  /**
   * The sums of the credit entries that refer to the invoice, excluding credit that voided credit notes
   * applied.
   */
  readonly creditApplied: bigint
  readonly creditReturned: bigint
  /** The captured amount of the payment that paid the invoice; null if there is none. */
  readonly paidByPayment: bigint | null
  readonly paidOutOfBand: boolean
  readonly hasPeriod: boolean
  readonly earnedAt: Date | null
  /** When the subscription left the period of the invoice; null if it has not, or if the invoice is never earned. */
  readonly leftPeriodAt: Date | null
  readonly finalizedAt: Date | null
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly uncollectibleAt: Date | null
  readonly posted: readonly PostedLine[]
}

export type DerivedInvoice = {
  readonly missing: readonly DatedPosting[]
  readonly earnedAt: Date | null
}

/** Null if the amounts of the invoice contradict each other, its credit or its payment. */
export function deriveInvoice(invoice: InvoiceHistory): DerivedInvoice | null {
  const { finalizedAt, leftPeriodAt } = invoice
  const earnedAt = invoice.earnedAt ?? laterOf(leftPeriodAt, finalizedAt)
  // A draft that was discarded has no number and is not posted.
  if (finalizedAt === null) return { missing: [], earnedAt }
  if (contradictsItself(invoice)) return null
  const finalized = { ...invoice, finalizedAt, earnedAt }
  const acts = [...revenueActs(finalized), ...taxActs(finalized), ...settlementActs(finalized)]
  const missing = missingPostings(acts, invoice.posted)
  return missing === null ? null : { missing, earnedAt }
}

function laterOf(a: Date | null, b: Date | null): Date | null {
  return a !== null && b !== null && b > a ? b : a
}

/** What the customer owed when the invoice was finalized and credit was applied. */
const owedOn = ({ total, creditApplied }: InvoiceHistory) => (total > 0n ? total : 0n) - creditApplied

function contradictsItself(invoice: InvoiceHistory): boolean {
  const { status, amountDue, creditApplied, creditReturned, paidOutOfBand, paidByPayment } = invoice
  if (status === 'void') return creditReturned !== creditApplied - invoice.creditedOwed
  const owed = owedOn(invoice)
  const isCovered = owed === 0n || paidOutOfBand || paidByPayment === owed
  return amountDue !== owed || creditReturned !== 0n || (status === 'paid' && !isCovered)
}

type Finalized = InvoiceHistory & { readonly finalizedAt: Date }

/**
 * The total, which is in `unearned` until the period ends. The total of an invoice that was earned while it
 * was a draft was never in `unearned`.
 */
function revenueActs(invoice: Finalized): DatedAct[] {
  const { id: invoiceId, currency, total: amount, finalizedAt, earnedAt } = invoice
  if (amount <= 0n) return []
  const revenue = finalizedTo(invoice)
  const finalized: DatedAct = {
    at: finalizedAt,
    ledgerAct: { act: 'invoice_finalized', invoiceId, currency, amount, revenue },
  }
  if (revenue === 'sales' || earnedAt === null) return [finalized]
  return [
    finalized,
    {
      at: earnedAt,
      ledgerAct: { act: 'period_ended', invoiceId, currency, amount: unearnedOf(invoice) },
    },
  ]
}

/** The tax is owed to the authorities after finalization, unless the invoice is void. */
function taxActs(invoice: Finalized): DatedAct[] {
  const { id: invoiceId, currency, tax: amount, taxCredited, finalizedAt, voidedAt } = invoice
  if (amount === 0n) return []
  const ofTax = { invoiceId, currency, amount }
  const recorded: DatedAct = {
    at: finalizedAt,
    ledgerAct: {
      act: 'tax_recorded',
      ...ofTax,
      revenue: taxedAccountOf(invoice, finalizedTo(invoice)),
    },
  }
  if (voidedAt === null) return [recorded]
  const revenue = taxedAccountOf(invoice, revenueOf(invoice))
  const returned = { act: 'tax_returned', ...ofTax, amount: amount - taxCredited, revenue } as const
  return [recorded, { at: voidedAt, ledgerAct: returned }]
}

function finalizedTo({ hasPeriod, earnedAt, finalizedAt, posted }: Finalized): RevenueAccount {
  const line = posted.find(({ act }) => act === 'invoice_finalized')
  if (line !== undefined) return line.creditAccount === 'sales' ? 'sales' : 'unearned'
  const wasEarnedAsDraft = earnedAt !== null && earnedAt < finalizedAt
  return hasPeriod && !wasEarnedAsDraft ? 'unearned' : 'sales'
}

/** How the amount owed was cleared: written off, paid outside Switchyard, or voided. Payments have their own postings. */
function settlementActs(invoice: Finalized): DatedAct[] {
  const { id: invoiceId, currency, status, paidOutOfBand, uncollectibleAt } = invoice
  const ofInvoice = { invoiceId, currency, amount: owedOn(invoice) }
  const endedAt = invoice.paidAt ?? invoice.voidedAt
  const acts: DatedAct[] = []
  if (uncollectibleAt !== null)
    acts.push({ at: uncollectibleAt, ledgerAct: { act: 'invoice_written_off', ...ofInvoice } })
  if (endedAt === null) return acts
  if (uncollectibleAt !== null)
    acts.push({ at: endedAt, ledgerAct: { act: 'write_off_reversed', ...ofInvoice } })
  if (status === 'paid' && paidOutOfBand)
    acts.push({ at: endedAt, ledgerAct: { act: 'invoice_paid_out_of_band', ...ofInvoice } })
  if (status === 'void')
    acts.push({
      at: endedAt,
      ledgerAct: { act: 'invoice_voided', ...ofInvoice, revenue: revenueOf(invoice) },
    })
  return acts
}

/** The account that held the revenue of an invoice when it was voided. */
export function revenueOf({
  hasPeriod,
  earnedAt,
}: Pick<InvoiceHistory, 'hasPeriod' | 'earnedAt'>): RevenueAccount {
  return hasPeriod && earnedAt === null ? 'unearned' : 'sales'
}
