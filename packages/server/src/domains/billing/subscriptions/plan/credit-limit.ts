/**
 * Limits the credit of a change to the amount that the customer has paid for the period, so that an earlier
 * change that was billed but never paid is not credited. The rest reduces an open invoice of the period, or
 * is credited once that invoice is paid.
 */
import type { Currency } from '../../../../kernel/currency.ts'
import type { LineDraft } from '../../../../kernel/invoice-lines.ts'
import { smallerOf } from '../../../../kernel/money.ts'
import { grossOf, limitCredits } from './proration.ts'
import type { MoneyFacts, Plan } from './snapshot.ts'

type ChangedLines = {
  readonly currency: Currency
  readonly credits: readonly LineDraft[]
  readonly charges: readonly LineDraft[]
}

export type LimitedCredit = {
  readonly credits: readonly LineDraft[]
  /** The unpaid invoice that a negative total reduces first. */
  readonly reducesInvoiceId: Plan['returns'][number]['invoiceId'] | null
  readonly returns: Plan['returns']
}

export function limitToPaid({ currency, credits, charges }: ChangedLines, money: MoneyFacts): LimitedCredit {
  const { paidLimit } = money
  const reduced = reducibleInvoice(money)
  const reducesInvoiceId = reduced?.id ?? null
  const [wanted, charged] = [-grossOf(currency, credits), grossOf(currency, charges)]
  if (paidLimit === null || wanted <= charged) return { credits, reducesInvoiceId, returns: [] }
  const others = money.unpaidForPeriod.filter(({ id, inFlight }) => id !== reducesInvoiceId || inFlight)
  const paid = paidLimit.amount + (reduced === null || reduced.inFlight ? 0n : reduced.remaining)
  // If an earlier change was not paid, the old items are worth more than the paid amount, so charges do not
  // increase the limit.
  const isPaid = others.length === 0 && !paidLimit.hasLostInvoice
  const limited = limitCredits(currency, credits, isPaid ? paid + charged : largerOf(paid, charged))
  let left = wanted + grossOf(currency, limited)
  const returns: Plan['returns'][number][] = []
  for (const { id: invoiceId, total } of others.toReversed()) {
    const amount = smallerOf(left, total)
    if (amount <= 0n) continue
    returns.push({ invoiceId, amount, as: 'credit' })
    left -= amount
  }
  return { credits: limited, reducesInvoiceId, returns }
}

const largerOf = (a: bigint, b: bigint) => (b > a ? b : a)

/**
 * The invoice of the period if it is unpaid. Otherwise the invoice for a change with the largest amount owed.
 */
function reducibleInvoice({ current, unpaidForPeriod }: MoneyFacts) {
  const own = unpaidForPeriod.find(({ id }) => id === current?.id)
  if (own !== undefined) return own
  const [largest] = unpaidForPeriod
    .filter(({ inFlight }) => !inFlight)
    .toSorted((a, b) => (a.remaining > b.remaining ? -1 : 1))
  return largest ?? null
}
