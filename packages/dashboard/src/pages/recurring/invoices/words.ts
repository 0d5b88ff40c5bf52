/** An invoice in a sentence: what became of it, and what comes next. Pure. */
import type { Invoice } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { dateText } from '../../../format/time.ts'

export function invoiceSentence(invoice: Invoice): string {
  if (invoice.payment_state === 'unknown')
    return 'A payment was sent and nobody knows yet what became of it. Nothing else is tried until it is known.'
  if (invoice.payment_state === 'in_flight') return 'A payment for it is under way.'
  switch (invoice.status) {
    case 'draft':
      return 'It is a draft: it gets its number by itself soon, and is collected then.'
    case 'paid':
      return paidSentence(invoice)
    case 'void':
      return `It is void: ${voidReasons[invoice.void_reason ?? 'requested']}. Nothing is owed.`
    case 'uncollectible':
      return 'It was given up. Nothing more is tried by itself; it can still be paid.'
    case 'open':
      return openSentence(invoice)
  }
}

const voidReasons: { readonly [R in NonNullable<Invoice['void_reason']>]: string } = {
  requested: 'somebody asked for that',
  pause: 'its subscription was paused',
  activation_expired: 'the first payment never came',
}

function paidSentence({ paid_out_of_band, paid_at, amount_paid, currency, attempt_count }: Invoice): string {
  const when = paid_at === null ? '' : ` on ${dateText(paid_at)}`
  if (paid_out_of_band) return `It was paid by other means${when}.`
  if (amount_paid === 0) return `There was nothing to pay${when}.`
  const tries = attempt_count > 1 ? `, at try ${attempt_count}` : ''
  return `${moneyText(amount_paid, currency)} was paid${when}${tries}.`
}

function openSentence(invoice: Invoice): string {
  const { last_failure: failure, next_attempt_at: next } = invoice
  const sum = moneyText(invoice.amount_remaining, invoice.currency)
  const then = next === null ? ' Nothing is tried by itself.' : ` It is tried on ${dateText(next)}.`
  if (failure === null) return `${sum} is to be paid.${then}`
  return `The last try failed on ${dateText(failure.at)} (\`${failure.code}\`). ${sum} is still owed.${then}`
}
