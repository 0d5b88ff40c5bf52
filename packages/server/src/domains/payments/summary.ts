/** One sentence that says what happened and why, for people who look at a payment. Pure. */
import { moneyText } from '../../kernel/money-text.ts'
import type { Payment } from './payment.ts'

export function summaryOf(payment: Payment): string {
  const { status, failure, attemptsCount, unresolvedSinceAt, purpose } = payment
  const card = `${payment.card.brand} ending in ${payment.card.last4}`
  const tries = attemptsCount > 1 ? ` after ${attemptsCount} attempts` : ''
  if (payment.review === 'needs_review' && unresolvedSinceAt !== null)
    return `It is not known whether ${amountOf(payment, payment.amount)} was taken from ${card}, and the provider does not tell. Somebody has to ask them.`
  if (payment.review !== null)
    return `What the provider says contradicts what was asked of it. Somebody has to look.`
  if (unresolvedSinceAt !== null)
    return `It is not known yet whether ${amountOf(payment, payment.amount)} was taken from ${card}. The provider is being asked; nobody else is meanwhile.`
  switch (status) {
    case 'succeeded':
      if (purpose === 'verification') return `${card} was verified${tries}.`
      return `${amountOf(payment, payment.amountCaptured)} was taken from ${card}${tries}.${refundedOf(payment)}`
    case 'requires_capture':
      return `${amountOf(payment, payment.amountCapturable)} is held on ${card} and can be captured.`
    case 'requires_action':
      return `The payer has to confirm the payment with the bank of ${card}.`
    case 'failed':
      return `Nothing was taken from ${card}${tries}: ${failure?.code.replaceAll('_', ' ') ?? 'it failed'}. ${failure?.message ?? ''}`.trim()
    case 'cancelled':
      return `It was cancelled. Nothing was taken from ${card}.`
    case 'processing':
      return `${amountOf(payment, payment.amount)} is being asked for from ${card}.`
  }
}

function refundedOf(payment: Payment): string {
  return payment.amountRefunded > 0n ? ` ${amountOf(payment, payment.amountRefunded)} was given back.` : ''
}

function amountOf({ currency }: Payment, amount: bigint): string {
  return moneyText(amount, currency)
}
