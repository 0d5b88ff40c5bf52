/**
 * Maps each business transaction (`act`), such as `payment_captured`, to its postings. A posting debits one
 * account and credits another with the same amount. The lines of a business transaction are fixed, because
 * the id of a posting is derived from its cause and line. Therefore a business transaction is posted only
 * once for each cause. No side effects.
 */
import { unreachable } from '../../../kernel/assert.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Kind } from '../../../kernel/id.ts'
import {
  isSettlementAct,
  type SettlementAct,
  settlementKinds,
  settlementMovementOf,
} from './settlement-acts.ts'

/** Assets and expenses increase with debits, liabilities and income with credits. */
export const accounts = {
  clearing: 'debit',
  disputes_held: 'debit',
  receivable: 'debit',
  cash: 'debit',
  unapplied: 'credit',
  refunds_payable: 'credit',
  credit: 'credit',
  unearned: 'credit',
  tax_payable: 'credit',
  sales: 'credit',
  refunded: 'debit',
  fees: 'debit',
  dispute_losses: 'debit',
  bad_debt: 'debit',
  fx: 'debit',
  rounding: 'debit',
  suspense: 'credit',
} as const
export type AccountName = keyof typeof accounts

/**
 * The account that is credited with the amount of an invoice: `unearned` until its period ends, otherwise `sales`.
 */
export type RevenueAccount = 'unearned' | 'sales'

/** A refund of unapplied money reduces `unapplied`; the rest of the refund reduces income. */
export type RefundSplit = { readonly unapplied: bigint; readonly refunded: bigint }

export type LedgerAct = { readonly currency: Currency } & (
  | {
      readonly act: 'payment_captured'
      readonly operationId: Id<'operation'>
      readonly paymentId: Id<'payment'>
      readonly providerAccountId: Id<'provider_account'>
      readonly amount: bigint
      /** Whether it still has to be applied to an invoice, or returned. */
      readonly isUnapplied: boolean
    }
  | {
      /** The bank has returned a debit that was not applied to an invoice. Without an invoice it is a loss. */
      readonly act: 'payment_reversed'
      readonly paymentId: Id<'payment'>
      readonly providerAccountId: Id<'provider_account'>
      readonly amount: bigint
      readonly from: 'unapplied' | 'bad_debt'
    }
  | {
      /** The bank has returned a debit that had paid an invoice. The customer owes the amount again. */
      readonly act: 'applied_payment_reversed'
      readonly paymentId: Id<'payment'>
      readonly providerAccountId: Id<'provider_account'>
      readonly invoiceId: Id<'invoice'>
      readonly amount: bigint
    }
  /** `refunded` is the part that was refunded before the payment was applied. */
  | ({
      readonly act: 'payment_applied'
      readonly paymentId: Id<'payment'>
      readonly invoiceId: Id<'invoice'>
    } & RefundSplit)
  | ({
      readonly act: 'refund_requested' | 'refund_failed'
      readonly refundId: Id<'refund'>
      readonly paymentId: Id<'payment'>
    } & RefundSplit)
  | {
      /** A refund is returned if the provider reports that it failed after it had succeeded. */
      readonly act: 'refund_succeeded' | 'refund_returned'
      readonly refundId: Id<'refund'>
      readonly paymentId: Id<'payment'>
      readonly providerAccountId: Id<'provider_account'>
      readonly amount: bigint
    }
  | {
      readonly act: DisputeActName
      readonly disputeId: Id<'dispute'>
      readonly paymentId: Id<'payment'>
      readonly providerAccountId: Id<'provider_account'>
      /** Money can be withdrawn and returned several times, so each movement of a dispute has a line of its own. */
      readonly line: number
      readonly amount: bigint
    }
  | {
      readonly act: 'invoice_finalized' | 'invoice_voided'
      readonly invoiceId: Id<'invoice'>
      readonly revenue: RevenueAccount
      readonly amount: bigint
    }
  | {
      /** Tax is not income. It is negative for an invoice that credits more than it charges. */
      readonly act: 'tax_recorded' | 'tax_returned'
      readonly invoiceId: Id<'invoice'>
      readonly revenue: RevenueAccount
      readonly amount: bigint
    }
  | {
      /**
       * The amount that credit notes leave in `unearned` when the invoice is voided. It is negative if they
       * took too much.
       */
      readonly act: 'unearned_cleared'
      readonly invoiceId: Id<'invoice'>
      readonly amount: bigint
    }
  | {
      readonly act: 'period_ended' | 'invoice_paid_out_of_band' | 'invoice_written_off' | 'write_off_reversed'
      readonly invoiceId: Id<'invoice'>
      readonly amount: bigint
    }
  | {
      readonly act: 'credit_granted' | 'credit_returned'
      readonly entryId: Id<'credit_entry'>
      readonly customerId: Id<'customer'>
      /** Null for credit that belongs to no invoice. */
      readonly invoiceId: Id<'invoice'> | null
      readonly revenue: RevenueAccount
      readonly amount: bigint
    }
  | {
      /**
       * A note that reduced what was owed is void, so the customer owes the amount again. The tax of a note
       * is returned when it is issued, and recorded again when it is void. The part that was not earned yet
       * is moved from `unearned` when the note is issued, and moved back if the note is voided before the
       * period has ended.
       */
      readonly act: 'credit_note_voided' | NoteTaxActName | NoteUnearnedActName
      readonly creditNoteId: Id<'credit_note'>
      readonly invoiceId: Id<'invoice'>
      readonly amount: bigint
    }
  | {
      readonly act: 'credit_applied'
      readonly entryId: Id<'credit_entry'>
      readonly customerId: Id<'customer'>
      readonly invoiceId: Id<'invoice'>
      readonly amount: bigint
    }
  | SettlementAct
)
export type ActName = LedgerAct['act']
type NoteTaxActName = 'credit_note_tax_returned' | 'credit_note_tax_recorded'
type NoteUnearnedActName = 'credit_note_unearned_returned' | 'credit_note_unearned_recorded'
export type DisputeActName =
  | 'dispute_withdrawn'
  | 'dispute_returned'
  | 'dispute_lost'
  | 'dispute_fee_charged'
  | 'dispute_fee_returned'

/** The members that `tx.post` needs, with the names of accounts and acts. */
export type LedgerPosting = {
  readonly causeId: Id<Kind>
  readonly line: number
  readonly act: ActName
  readonly debitAccount: AccountName
  readonly creditAccount: AccountName
  readonly debitObjectId: Id<Kind>
  readonly creditObjectId: Id<Kind>
  readonly providerAccountId: Id<'provider_account'> | null
  readonly currency: Currency
  readonly amount: bigint
}

/**
 * The number of the first posting line of each business transaction. Business transactions that can have the
 * same cause have different line numbers. Acts that are not in this table have a member `line`.
 */
const firstLines: { readonly [A in Exclude<ActName, DisputeActName | SettlementAct['act']>]: number } = {
  payment_captured: 0,
  payment_applied: 0,
  payment_reversed: 2,
  applied_payment_reversed: 2,
  refund_requested: 0,
  refund_succeeded: 2,
  refund_failed: 3,
  refund_returned: 5,
  invoice_finalized: 0,
  period_ended: 1,
  invoice_written_off: 2,
  write_off_reversed: 3,
  invoice_paid_out_of_band: 4,
  invoice_voided: 5,
  tax_recorded: 6,
  tax_returned: 7,
  unearned_cleared: 8,
  credit_granted: 0,
  credit_returned: 0,
  credit_applied: 0,
  credit_note_voided: 0,
  credit_note_tax_returned: 1,
  credit_note_tax_recorded: 2,
  credit_note_unearned_returned: 3,
  credit_note_unearned_recorded: 4,
}

export type Movement = {
  readonly debit: AccountName
  readonly credit: AccountName
  readonly amount: bigint
  /** Default: the object of the business transaction. */
  readonly debitObjectId?: Id<Kind>
  readonly creditObjectId?: Id<Kind>
}

export function postingsOf(act: LedgerAct): LedgerPosting[] {
  const { causeId, objectId } = subjectOf(act)
  const firstLine = 'line' in act ? act.line : firstLines[act.act]
  return movementsOf(act)
    .map(({ debit, credit, amount, debitObjectId = objectId, creditObjectId = objectId }, index) => ({
      causeId,
      line: firstLine + index,
      act: act.act,
      debitAccount: debit,
      creditAccount: credit,
      debitObjectId,
      creditObjectId,
      providerAccountId:
        'providerAccountId' in act && [debit, credit].includes('clearing') ? act.providerAccountId : null,
      currency: act.currency,
      amount,
    }))
    .filter(({ amount }) => amount !== 0n)
}

/** What caused the postings, and the object that the money belongs to. */
function subjectOf(act: LedgerAct): { readonly causeId: Id<Kind>; readonly objectId: Id<Kind> } {
  if ('lineId' in act) return { causeId: act.lineId, objectId: act.lineId }
  if ('entryId' in act && 'payoutId' in act) return { causeId: act.entryId, objectId: act.entryId }
  if ('payoutId' in act) return { causeId: act.payoutId, objectId: act.payoutId }
  if ('operationId' in act) return { causeId: act.operationId, objectId: act.paymentId }
  if ('refundId' in act) return { causeId: act.refundId, objectId: act.paymentId }
  if ('disputeId' in act) return { causeId: act.disputeId, objectId: act.disputeId }
  if ('entryId' in act) return { causeId: act.entryId, objectId: act.customerId }
  if ('creditNoteId' in act) return { causeId: act.creditNoteId, objectId: act.invoiceId }
  if ('paymentId' in act) return { causeId: act.paymentId, objectId: act.paymentId }
  return { causeId: act.invoiceId, objectId: act.invoiceId }
}

function movementsOf(act: LedgerAct): readonly Movement[] {
  if (isSettlementAct(act)) return [settlementMovementOf(act)]
  switch (act.act) {
    case 'payment_captured':
      return [{ debit: 'clearing', credit: act.isUnapplied ? 'unapplied' : 'sales', amount: act.amount }]
    case 'payment_applied':
      return [
        { debit: 'unapplied', credit: 'receivable', amount: act.unapplied, creditObjectId: act.invoiceId },
        { debit: 'refunded', credit: 'receivable', amount: act.refunded, creditObjectId: act.invoiceId },
      ]
    case 'payment_reversed':
      return [{ debit: act.from, credit: 'clearing', amount: act.amount }]
    case 'applied_payment_reversed':
      return [{ debit: 'receivable', credit: 'clearing', amount: act.amount, debitObjectId: act.invoiceId }]
    case 'refund_requested':
      return [
        { debit: 'unapplied', credit: 'refunds_payable', amount: act.unapplied },
        { debit: 'refunded', credit: 'refunds_payable', amount: act.refunded },
      ]
    case 'refund_succeeded':
      return [{ debit: 'refunds_payable', credit: 'clearing', amount: act.amount }]
    case 'refund_returned':
      return [{ debit: 'clearing', credit: 'refunds_payable', amount: act.amount }]
    case 'refund_failed':
      return [
        { debit: 'refunds_payable', credit: 'unapplied', amount: act.unapplied },
        { debit: 'refunds_payable', credit: 'refunded', amount: act.refunded },
      ]
    default:
      return 'disputeId' in act ? [disputeMovementOf(act)] : billingMovementsOf(act)
  }
}

/**
 * Amounts at the provider belong to the payment; amounts that are held, lost or charged belong to the
 * dispute.
 */
function disputeMovementOf({
  act,
  amount,
  paymentId,
}: Extract<LedgerAct, { readonly act: DisputeActName }>): Movement {
  switch (act) {
    case 'dispute_withdrawn':
      return { debit: 'disputes_held', credit: 'clearing', amount, creditObjectId: paymentId }
    case 'dispute_returned':
      return { debit: 'clearing', credit: 'disputes_held', amount, debitObjectId: paymentId }
    case 'dispute_lost':
      return { debit: 'dispute_losses', credit: 'disputes_held', amount }
    case 'dispute_fee_charged':
      return { debit: 'fees', credit: 'clearing', amount, creditObjectId: paymentId }
    case 'dispute_fee_returned':
      return { debit: 'clearing', credit: 'fees', amount, debitObjectId: paymentId }
    default:
      return unreachable(act)
  }
}

type BillingAct = Exclude<
  LedgerAct,
  { readonly paymentId: Id<'payment'> } | { readonly refundId: Id<'refund'> } | SettlementAct
>

function billingMovementsOf(act: BillingAct): readonly Movement[] {
  const { amount } = act
  switch (act.act) {
    case 'invoice_finalized':
      return [{ debit: 'receivable', credit: act.revenue, amount }]
    case 'period_ended':
      return [earnedMovementOf(amount)]
    case 'invoice_written_off':
      return [{ debit: 'bad_debt', credit: 'receivable', amount }]
    case 'write_off_reversed':
      return [{ debit: 'receivable', credit: 'bad_debt', amount }]
    case 'invoice_paid_out_of_band':
      return [{ debit: 'cash', credit: 'receivable', amount }]
    case 'credit_note_voided':
      return [{ debit: 'receivable', credit: 'sales', amount }]
    case 'invoice_voided':
      return [{ debit: act.revenue, credit: 'receivable', amount }]
    case 'credit_note_tax_returned':
      return [taxMovementOf('sales', -amount)]
    case 'credit_note_tax_recorded':
      return [taxMovementOf('sales', amount)]
    case 'credit_note_unearned_returned':
      return [earnedMovementOf(amount)]
    case 'credit_note_unearned_recorded':
      return [earnedMovementOf(-amount)]
    case 'unearned_cleared':
      return [earnedMovementOf(amount)]
    case 'tax_recorded':
      return [taxMovementOf(act.revenue, amount)]
    case 'tax_returned':
      return [taxMovementOf(act.revenue, -amount)]
    case 'credit_applied':
      return [{ debit: 'credit', credit: 'receivable', amount, creditObjectId: act.invoiceId }]
    default:
      return [
        { debit: act.revenue, credit: 'credit', amount, debitObjectId: act.invoiceId ?? act.customerId },
      ]
  }
}

/** Moves an amount from `unearned` to income, or back if it is negative. */
function earnedMovementOf(amount: bigint): Movement {
  return amount < 0n
    ? { debit: 'sales', credit: 'unearned', amount: -amount }
    : { debit: 'unearned', credit: 'sales', amount }
}

/** Moves tax from the revenue account to what is owed to the authorities, or back if it is negative. */
function taxMovementOf(revenue: RevenueAccount, tax: bigint): Movement {
  return tax < 0n
    ? { debit: 'tax_payable', credit: revenue, amount: -tax }
    : { debit: revenue, credit: 'tax_payable', amount: tax }
}

type TaxedAmounts = { readonly total: bigint; readonly tax: bigint }

/** Whether the revenue account of the invoice contains its tax. Otherwise the tax is moved from `sales`. */
function hasTaxInRevenue({ total, tax }: TaxedAmounts): boolean {
  return total > 0n && total >= tax
}

/** The amounts of an invoice that is credited before its period has ended. */
export type CreditedAmounts = TaxedAmounts & { readonly unearnedCredited: bigint }

/** The part of an invoice that is unearned until its period ends: the total without tax and without what was credited. */
export function unearnedOf(amounts: CreditedAmounts): bigint {
  return amounts.total - (hasTaxInRevenue(amounts) ? amounts.tax : 0n) - amounts.unearnedCredited
}

/**
 * The part of a credit note that is not earned yet: its total without tax, at most the unearned remainder of the
 * invoice.
 */
export function unearnedPartOf(invoice: CreditedAmounts, note: TaxedAmounts): bigint {
  const amount = note.total - (hasTaxInRevenue(invoice) ? note.tax : 0n)
  const left = unearnedOf(invoice)
  if (amount > left) return left
  return amount
}

/**
 * What is left in `unearned` when an invoice is voided before its period has ended: `returned` is the amount that is
 * no longer owed plus the amount that becomes credit again. Without credit notes it is 0.
 */
export function unearnedLeftByVoid(
  invoice: CreditedAmounts & { readonly taxCredited: bigint },
  returned: bigint,
): bigint {
  const tax = hasTaxInRevenue(invoice) ? invoice.tax - invoice.taxCredited : 0n
  return unearnedOf(invoice) - returned + tax
}

/** The account that the tax is moved from. */
export function taxedAccountOf(amounts: TaxedAmounts, revenue: RevenueAccount): RevenueAccount {
  return hasTaxInRevenue(amounts) ? revenue : 'sales'
}

/** Splits a refund: unapplied money is returned first. */
export function splitRefund(unapplied: bigint, amount: bigint): RefundSplit {
  const fromUnapplied = amount < unapplied ? amount : unapplied
  return { unapplied: fromUnapplied, refunded: amount - fromUnapplied }
}

export type Kinds = { readonly cause: Kind; readonly debit: Kind; readonly credit: Kind }

const ofPayment = { debit: 'payment', credit: 'payment' } as const
const ofInvoice = { cause: 'invoice', debit: 'invoice', credit: 'invoice' } as const
const ofCreditNote = { cause: 'credit_note', debit: 'invoice', credit: 'invoice' } as const

/** The kinds of the objects that the postings of each business transaction refer to. */
export const kindsByAct: { readonly [A in ActName]: Kinds } = {
  payment_captured: { cause: 'operation', ...ofPayment },
  payment_applied: { cause: 'payment', debit: 'payment', credit: 'invoice' },
  payment_reversed: { cause: 'payment', ...ofPayment },
  applied_payment_reversed: { cause: 'payment', debit: 'invoice', credit: 'payment' },
  refund_requested: { cause: 'refund', ...ofPayment },
  refund_succeeded: { cause: 'refund', ...ofPayment },
  refund_returned: { cause: 'refund', ...ofPayment },
  refund_failed: { cause: 'refund', ...ofPayment },
  dispute_withdrawn: { cause: 'dispute', debit: 'dispute', credit: 'payment' },
  dispute_returned: { cause: 'dispute', debit: 'payment', credit: 'dispute' },
  dispute_lost: { cause: 'dispute', debit: 'dispute', credit: 'dispute' },
  dispute_fee_charged: { cause: 'dispute', debit: 'dispute', credit: 'payment' },
  dispute_fee_returned: { cause: 'dispute', debit: 'payment', credit: 'dispute' },
  invoice_finalized: ofInvoice,
  period_ended: ofInvoice,
  invoice_written_off: ofInvoice,
  write_off_reversed: ofInvoice,
  invoice_paid_out_of_band: ofInvoice,
  invoice_voided: ofInvoice,
  tax_recorded: ofInvoice,
  tax_returned: ofInvoice,
  unearned_cleared: ofInvoice,
  credit_granted: { cause: 'credit_entry', debit: 'invoice', credit: 'customer' },
  credit_returned: { cause: 'credit_entry', debit: 'invoice', credit: 'customer' },
  credit_applied: { cause: 'credit_entry', debit: 'customer', credit: 'invoice' },
  credit_note_voided: ofCreditNote,
  credit_note_tax_returned: ofCreditNote,
  credit_note_tax_recorded: ofCreditNote,
  credit_note_unearned_returned: ofCreditNote,
  credit_note_unearned_recorded: ofCreditNote,
  ...settlementKinds,
}
