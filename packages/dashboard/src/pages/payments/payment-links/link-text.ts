/** Describes a payment link. No side effects. */
import type { CheckoutSession, PaymentLink } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { countText } from '../../../format/text.ts'
import { dateText } from '../../../format/time.ts'

/** "€40.00", "€5.00 to €100.00", "€11.00 for 2 items", "€15.00 per month", "Saves a card". */
export function priceText(link: PaymentLink): string {
  const { amount, open_amount: open, line_items: items, currency } = link
  if (link.mode === 'setup') return 'Saves a card'
  if (link.mode === 'subscription') return recurringText(link)
  if (amount !== null && items === null) return moneyText(amount, currency)
  if (open !== null) return `${moneyText(open.min, currency)} to ${moneyText(open.max, currency)}`
  const lineItems = items ?? []
  const total = lineItems.reduce((sum, { amount }) => sum + amount, 0)
  return `${moneyText(total, currency)} for ${countText(lineItems.length, 'item')}`
}

function recurringText({ line_items: items, currency }: PaymentLink): string {
  const recurring = (items ?? []).filter((item) => item.recurring !== undefined)
  const { interval = 'month', interval_count: count = 1 } = recurring[0]?.recurring ?? {}
  const total = recurring.reduce((sum, { amount }) => sum + amount, 0)
  return `${moneyText(total, currency)} ${count === 1 ? `per ${interval}` : `every ${count} ${interval}s`}`
}

export function paidText({ completed_count: paid, max_completions: limit }: PaymentLink): string {
  return limit === null ? countText(paid, 'payment') : `${paid} of ${limit}`
}

export function linkSentence(link: PaymentLink): string {
  const { status, max_completions: limit, completed_count: paid } = link
  const further = paid === 0 ? '' : 'more '
  const paymentsText = paid === 0 ? 'No payments yet' : countText(paid, 'payment')
  switch (status) {
    case 'active':
      return `${paymentsText}. ${limit === null ? 'Anyone with the link can pay' : `${countText(limit - paid, `${further}payment is`, `${further}payments are`)} possible`} until ${dateText(link.expires_at)}.`
    case 'inactive':
      return `${paymentsText}. The link is deactivated and accepts no new payments.`
    case 'completed':
      return `${paymentsText}. The payment limit is reached.`
    case 'expired':
      return `${paymentsText}. The link expired on ${dateText(link.expires_at)}.`
  }
}

/** A session stays open after a decline, so that the payer can try again. It is then shown as declined. */
export function sessionStatus({ status, payment_id }: CheckoutSession): string {
  return status === 'open' && payment_id !== null ? 'declined' : status
}

/** "Ada Lovelace, ada@example.com"; null if the payer gave neither. */
export function payerText(payer: CheckoutSession['payer']): string | null {
  const parts = [payer?.name, payer?.email].filter((part) => part != null)
  return parts.length === 0 ? null : parts.join(', ')
}
