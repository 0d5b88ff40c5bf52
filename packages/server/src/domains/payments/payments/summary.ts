/** One sentence that says what happened to a payment and why. Pure functions. */
import { cardText, moneyText } from '../../../kernel/money-text.ts'
import { isRedirect } from '../../../providers/contract.ts'
import { isAwaitingBank, type Payment } from './payment.ts'

export function summaryOf(payment: Payment): string {
  const { status, attemptsCount, unresolvedSinceAt, purpose } = payment
  const card = cardText(payment.card)
  const amount = formatAmount(payment, payment.amount)
  const attemptsText = attemptsCount > 1 ? ` after ${attemptsCount} attempts` : ''
  if (payment.review === 'needs_review' && unresolvedSinceAt !== null)
    return `Outcome unknown: the provider does not report whether ${amount} was charged to ${card}. An admin must confirm what happened.`
  if (payment.review === 'conflict')
    return "The provider's report contradicts the recorded outcome. An admin must confirm what happened."
  if (payment.review !== null)
    return "The provider's report contradicts the request. An admin must confirm what happened."
  if (unresolvedSinceAt !== null)
    return `Outcome unknown: checking with the provider whether ${amount} was charged to ${card}. No other provider is tried in the meantime.`
  switch (status) {
    case 'succeeded':
      if (purpose === 'verification') return `${card} verified${attemptsText}.`
      return `${formatAmount(payment, payment.amountCaptured)} ${chargedText(payment)} ${card}${attemptsText}.${refundText(payment)}${reversalText(payment)}`
    case 'requires_capture':
      return `${formatAmount(payment, payment.amountCapturable)} authorized on ${card}, ready to capture.`
    case 'requires_action':
      return actionText(payment, card, amount)
    case 'failed':
      return failureText(payment, card, attemptsText)
    case 'cancelled':
      return `Payment cancelled. Nothing was charged to ${card}.`
    case 'processing':
      return processingText(payment, card, amount)
  }
}

function actionText({ methodType }: Payment, card: string, amount: string): string {
  return isRedirect(methodType)
    ? `Waiting for the payer to approve ${amount} with ${card}.`
    : `Waiting for the payer to authenticate ${card} with their bank.`
}

function chargedText({ methodType }: Payment): string {
  return isRedirect(methodType) ? 'paid with' : 'charged to'
}

function processingText(payment: Payment, card: string, amount: string): string {
  if (isAwaitingBank(payment))
    return `${amount} is being debited from ${card}. The bank confirms it within days.`
  return payment.purpose === 'verification' ? `Verifying ${card}.` : `Authorizing ${amount} on ${card}.`
}

function failureText({ failure, purpose }: Payment, card: string, attemptsText: string): string {
  const subject = `${purpose === 'verification' ? 'Card verification' : 'Payment'} failed${attemptsText}`
  if (failure === null) return `${subject}.`
  if (failure.code === 'retry_limit_reached')
    return `${subject}: ${card} has reached its retry limit, so no request was sent to the bank.`
  return `${subject}: ${failure.code.replaceAll('_', ' ')}. ${failure.message}`
}

function refundText(payment: Payment): string {
  return payment.amountRefunded > 0n ? ` ${formatAmount(payment, payment.amountRefunded)} refunded.` : ''
}

function reversalText(payment: Payment): string {
  if (payment.amountReversed === 0n) return ''
  const code = payment.reversal?.reason_code ?? null
  return ` The bank returned ${formatAmount(payment, payment.amountReversed)} to the payer${code === null ? '' : ` (${code})`}.`
}

function formatAmount({ currency }: Payment, amount: bigint): string {
  return moneyText(amount, currency)
}
