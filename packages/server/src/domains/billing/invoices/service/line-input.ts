/** Reads the lines of a request for a one-off invoice. */
import type { Currency } from '../../../../kernel/currency.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { factorsOf, withPricing } from '../../../../kernel/price-schemes.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findProductNames, requirePrice } from '../../products/service.ts'
import type { LineTerms } from '../draft-lines.ts'
import type { InvoiceLineInput } from '../schema/one-off.ts'

type LineContext = {
  readonly currency: Currency
  /** The line that is changed. Null for a new line. */
  readonly before: LineTerms | null
  /** Where the line is in the request. */
  readonly pointer: string
}

/** Omitted members are unchanged, or have their defaults. A unit amount replaces a price, and vice versa. */
export async function lineTermsOf(tx: Tx, context: LineContext, input: InvoiceLineInput): Promise<LineTerms> {
  const { before, pointer } = context
  const priced = await amountOfInput(tx, context, input)
  const description = priced.description ?? input.description ?? before?.description ?? null
  if (description === null)
    refuseMember(`${pointer}/description`, 'required', 'is required for a line without a price')
  return {
    ...priced,
    description,
    quantity: input.quantity ?? before?.quantity ?? 1,
    service: serviceOf(tx, context, input),
  }
}

/** A line with a price has the name of its product. */
async function amountOfInput(tx: Tx, { currency, before, pointer }: LineContext, input: InvoiceLineInput) {
  const { price_id: priceId, unit_amount: unitAmount } = input
  if (priceId !== undefined && (unitAmount !== undefined || input.description !== undefined))
    refuseMember(`${pointer}/price_id`, 'not_together', 'cannot be set with unit_amount or description')
  if (unitAmount !== undefined)
    return { priceId: null, unitAmountDecimal: String(unitAmount), description: null }
  if (priceId === undefined) {
    if (before !== null) return { priceId: before.priceId, ...factorsOf(before), description: null }
    return refuseMember(`${pointer}/unit_amount`, 'required', 'is required: send unit_amount or price_id')
  }
  const price = await requirePrice(tx, priceId, `${pointer}/price_id`)
  if (price.currency !== currency)
    refuseMember(`${pointer}/price_id`, 'bad_format', `must be a price in ${currency}`)
  if (price.recurring !== null)
    refuseMember(`${pointer}/price_id`, 'bad_format', 'must be a one-time price, without recurring')
  const names = await findProductNames(tx, [price.id])
  return {
    priceId: price.id,
    unitAmountDecimal: price.unitAmountDecimal,
    ...withPricing(price.pricing),
    description: names.get(price.id) ?? null,
  }
}

/** The time of the request unless the line or the request has a service period. */
function serviceOf(
  tx: Tx,
  { before, pointer }: LineContext,
  { service }: InvoiceLineInput,
): LineTerms['service'] {
  if (service === undefined) return before?.service ?? { startAt: tx.now, endAt: tx.now }
  const [startAt, endAt] = [new Date(service.start_at), new Date(service.end_at)]
  if (endAt < startAt) refuseMember(`${pointer}/service/end_at`, 'too_small', 'must not be before start_at')
  return { startAt, endAt }
}
