/** Describes the state of an invoice and the next attempt. No side effects. */
import type { Invoice } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { dateText } from '../../../format/time.ts'
import { nextAttemptText } from '../next-attempt-text.ts'

export function invoiceSentence(invoice: Invoice, nowMs = Date.now()): string {
  if (invoice.payment_state === 'unknown')
    return 'A payment was sent, and its outcome is not known yet. No other payment is attempted until it is known.'
  if (invoice.payment_state === 'in_flight') return 'A payment for this invoice is in progress.'
  switch (invoice.status) {
    case 'draft':
      return invoice.subscription_id === null
        ? 'This invoice is a draft. Its lines can be changed until you finalize or send it.'
        : 'This invoice is a draft. It is finalized automatically soon and then collected.'
    case 'paid':
      return paidSentence(invoice)
    case 'void':
      return `Void: ${voidReasons[invoice.void_reason ?? 'requested']}. Nothing is owed.`
    case 'uncollectible':
      return 'Marked uncollectible. It is not retried automatically, but can still be paid.'
    case 'open':
      return openSentence(invoice, nowMs)
  }
}

const voidReasons: { readonly [R in NonNullable<Invoice['void_reason']>]: string } = {
  requested: 'voided on request',
  pause: 'the subscription was paused',
  activation_expired: 'the first payment was never made',
}

function paidSentence({ paid_out_of_band, paid_at, amount_paid, currency, attempt_count }: Invoice): string {
  const when = paid_at === null ? '' : ` on ${dateText(paid_at)}`
  if (paid_out_of_band) return `Paid outside Switchyard${when}.`
  if (amount_paid === 0) return `Nothing was due${when}.`
  const attemptText = attempt_count > 1 ? ` on attempt ${attempt_count}` : ''
  return `${moneyText(amount_paid, currency)} paid${when}${attemptText}.`
}

function openSentence(invoice: Invoice, nowMs: number): string {
  if (invoice.collection_method === 'send_invoice') return sentSentence(invoice)
  const { last_failure: failure, next_attempt_at: next, test_clock_id: testClockId } = invoice
  const amount = moneyText(invoice.amount_remaining, invoice.currency)
  const nextAttempt =
    next === null ? 'It is not charged automatically.' : nextAttemptText({ at: next, testClockId }, { nowMs })
  if (failure === null) return `${amount} is due. ${nextAttempt}`
  return `The last attempt failed on ${dateText(failure.at)} (\`${failure.code}\`). ${amount} is still due. ${nextAttempt}`
}

/** An invoice that was sent is paid by the customer; nothing is charged automatically. */
function sentSentence(invoice: Invoice): string {
  const amount = moneyText(invoice.amount_remaining, invoice.currency)
  const due =
    invoice.due_at === null ? '' : ` ${invoice.overdue ? 'since' : 'on'} ${dateText(invoice.due_at)}`
  const reminder =
    invoice.next_reminder_at === null
      ? 'No more reminders are scheduled.'
      : `Next step on ${dateText(invoice.next_reminder_at)}.`
  const sent = invoice.sent_at === null ? ' It has not been sent by e-mail.' : ''
  return `${amount} ${invoice.overdue ? 'has been overdue' : 'is due'}${due}. The customer pays online.${sent} ${reminder}`
}

export function collectionText({ collection_method, terms }: Invoice): string {
  if (collection_method === 'charge_automatically') return 'Charge payment method'
  return `Customer pays within ${terms?.days ?? 0} days`
}
