/** Describes a posting of the ledger in a sentence. No side effects. */
import type { LedgerPosting } from '@switchyard/sdk'
import { moneyText } from '../../format/money.ts'
import type { NameOf } from '../accounts.ts'

export type PostingText = {
  readonly text: string
  /** The payment, invoice or customer at the end of the sentence, unless its page shows the posting. */
  readonly objectId: string | null
}

/** `pageId` is the object whose page shows the posting. */
export function postingText(posting: LedgerPosting, pageId: string, nameOf: NameOf): PostingText {
  const amount = moneyText(posting.amount, posting.currency)
  const { debit, credit, provider_account_id: accountId } = posting
  const at = accountId === null ? '' : nameOf(accountId)
  const ending = (text: string) => ({ text, objectId: null })
  const about = (id: string, here: string, elsewhere: string) =>
    id === pageId ? { text: here, objectId: null } : { text: elsewhere, objectId: id }
  switch (posting.act) {
    case 'payment_captured':
      return ending(`${amount} captured at ${at}`)
    case 'payment_applied':
      return credit.object_id === pageId
        ? { text: `${appliedAmount(posting, amount)} applied from payment`, objectId: debit.object_id }
        : { text: `${appliedAmount(posting, amount)} applied to invoice`, objectId: credit.object_id }
    case 'payment_reversed':
      return ending(`${amount} returned by the payer’s bank, withdrawn by ${at}`)
    case 'applied_payment_reversed':
      return reversedText(posting, pageId, amount)
    case 'refund_requested':
      return ending(`${amount} to be refunded`)
    case 'refund_succeeded':
      return ending(`${amount} refunded by ${at}`)
    case 'refund_returned':
      return ending(`${amount} returned to ${at}`)
    case 'refund_failed':
      return ending(`${amount} could not be refunded`)
    case 'dispute_withdrawn':
    case 'dispute_returned':
    case 'dispute_lost':
    case 'dispute_fee_charged':
    case 'dispute_fee_returned':
      return ending(`${amount} ${disputeTexts[posting.act]}${at === '' ? '' : ` by ${at}`}`)
    case 'credit_granted':
      return about(credit.object_id, `${amount} granted as credit`, `${amount} granted as credit to customer`)
    case 'credit_applied':
      return about(
        credit.object_id,
        `${amount} of the customer’s credit applied`,
        `${amount} of credit applied to invoice`,
      )
    case 'credit_returned':
      return about(
        credit.object_id,
        `${amount} of credit returned`,
        `${amount} of credit returned to customer`,
      )
    default:
      return ending(`${amount} ${otherTexts[posting.act]}${at === '' ? '' : ` at ${at}`}`)
  }
}

/** The bank has returned the payment of an invoice, which is owed again. */
function reversedText({ debit, credit }: LedgerPosting, pageId: string, amount: string): PostingText {
  return debit.object_id === pageId
    ? { text: `${amount} owed again: the bank returned payment`, objectId: credit.object_id }
    : { text: `${amount} returned by the payer’s bank: owed again on invoice`, objectId: debit.object_id }
}

const otherTexts = {
  invoice_finalized: 'invoiced',
  period_ended: 'earned at the end of the period',
  invoice_paid_out_of_band: 'paid outside Switchyard',
  invoice_written_off: 'written off as uncollectible',
  write_off_reversed: 'owed again: the write-off was reversed',
  invoice_voided: 'no longer owed: the invoice was voided',
  credit_note_voided: 'owed again: a credit note was voided',
  tax_recorded: 'of tax recorded',
  tax_returned: 'of tax returned: the invoice was voided',
  credit_note_tax_returned: 'of tax returned: a credit note was issued',
  credit_note_tax_recorded: 'of tax recorded again: a credit note was voided',
  credit_note_unearned_returned: 'not earned in this period: a credit note was issued',
  credit_note_unearned_recorded: 'to be earned again: a credit note was voided',
  unearned_cleared: 'no longer to be earned: the invoice was voided',
  processing_fee_charged: 'charged as processing fees',
  processing_fee_returned: 'of processing fees returned',
  scheme_fee_charged: 'charged as scheme fees',
  scheme_fee_returned: 'of scheme fees returned',
  interchange_fee_charged: 'charged as interchange',
  interchange_fee_returned: 'of interchange returned',
  account_fee_charged: 'charged as account fees',
  account_fee_returned: 'of account fees returned',
  rounding_lost: 'lost by rounding',
  rounding_gained: 'gained by rounding',
  payout_paid: 'paid out',
  payout_returned: 'returned from a payout',
  payout_failed: 'returned because the payout failed',
  currency_sold: 'converted to another currency',
  currency_bought: 'converted from another currency',
  unexplained_received: 'received without explanation',
  unexplained_withdrawn: 'withdrawn without explanation',
  unexplained_credited: 'moved out of suspense by a resolution',
  unexplained_debited: 'moved out of suspense by a resolution',
}

const disputeTexts = {
  dispute_withdrawn: 'withdrawn for a dispute',
  dispute_returned: 'returned after a dispute',
  dispute_lost: 'lost in the dispute',
  dispute_fee_charged: 'charged as dispute fee',
  dispute_fee_returned: 'of dispute fees returned',
}

/** The part of a payment that was refunded before it was applied settles the invoice too. */
function appliedAmount({ debit }: LedgerPosting, amount: string): string {
  return debit.account === 'refunded' ? `${amount} (already refunded)` : amount
}

/** The oldest first. The API returns postings in the order of their causes. */
export function sortPostings(postings: readonly LedgerPosting[]): LedgerPosting[] {
  return postings
    .toReversed()
    .toSorted((a, b) => (a.effective_at === b.effective_at ? 0 : a.effective_at < b.effective_at ? -1 : 1))
}
