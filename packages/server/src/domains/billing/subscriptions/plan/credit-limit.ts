/**
 * Limits what a change credits to what the customer has paid for the period, so that a change that was billed and never
 * paid is not credited. The rest reduces an open invoice of the period, or is credited once its invoice is paid.
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
  // The old items are worth more than what was paid if a change was not paid, so charges do not increase the limit.
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

/** The invoice of the period if it is unpaid, or else the invoice of a change of which most is owed. */
function reducibleInvoice({ current, unpaidForPeriod }: MoneyFacts) {
  const own = unpaidForPeriod.find(({ id }) => id === current?.id)
  if (own !== undefined) return own
  const [largest] = unpaidForPeriod
    .filter(({ inFlight }) => !inFlight)
    .toSorted((a, b) => (a.remaining > b.remaining ? -1 : 1))
  return largest ?? null
}
