/** Parses a search text. Each interpretation is searched with an index. No side effects. */
import { type Currency, currencies, isCurrency } from '../../../kernel/currency.ts'
import { idFromUuid, type Kind, type Mode, uuidFromText } from '../../../kernel/id.ts'
import { parseDecimal } from '../../../kernel/money.ts'

/** The kinds that can be found: every role can read them, and they have an id of their own. */
export const searchableKinds = [
  'customer',
  'payment',
  'refund',
  'payment_method',
  'subscription',
  'invoice',
  'payment_link',
  'checkout_session',
  'product',
  'price',
  'payment_route',
  'provider_account',
  'webhook_endpoint',
  'delivery',
  'event',
  'request',
  'dunning_campaign',
  'dunning_policy',
  'test_clock',
] as const satisfies readonly Kind[]
export type SearchableKind = (typeof searchableKinds)[number]

export type IdRange = { readonly kind: SearchableKind; readonly from: string; readonly to: string }
export type CardSearch = {
  readonly last4: string
  /**
   * The amount after the card digits in minor units, for each possible number of decimal places, with the
   * currencies that use that number. Null: no amount was entered, so any amount matches.
   */
  readonly amounts: ReadonlyMap<bigint, readonly Currency[]> | null
}

export type ParsedSearch = {
  readonly ids: IdRange | null
  /** The whole text: an order number, an invoice number, a provider reference, a name or an email address. */
  readonly text: string | null
  readonly card: CardSearch | null
}

const noMatch: ParsedSearch = { ids: null, text: null, card: null }

export function parseSearch(text: string, mode: Mode): ParsedSearch {
  const query = text.trim()
  if (query === '') return noMatch
  const ids = parseIds(query, mode)
  // A text that looks like an id is not searched for in any other way.
  if (ids !== null) return { ...noMatch, ids }
  return { ids: null, text: query, card: parseCard(query) }
}

const idPattern = /^([a-z]+(?:_[a-z]+)*?)_(test_)?([0-7][0-9A-HJKMNP-TV-Z]{5,25})$/i
/** The reference of an operation: the last characters of the payment id, and the number of the operation. */
const referencePattern = /^([0-7][0-9A-HJKMNP-TV-Z]{25})-\d{1,4}$/i

/** An id, or the start of an id with at least six characters after its prefix. */
function parseIds(query: string, mode: Mode): IdRange | null {
  const reference = referencePattern.exec(query)?.[1]
  if (reference !== undefined) return idRangeOf('payment', mode, reference)
  const [, name, isTest, characters] = idPattern.exec(query) ?? []
  const kind = searchableKinds.find((candidate) => candidate === name?.toLowerCase())
  if (kind === undefined || characters === undefined) return null
  if ((isTest === undefined) !== (mode === 'live')) return null
  return idRangeOf(kind, mode, characters)
}

function idRangeOf(kind: SearchableKind, mode: Mode, characters: string): IdRange | null {
  const prefix = idFromUuid(kind, mode, nilUuid).slice(0, -26)
  const from = uuidFromText(kind, mode, prefix + characters.padEnd(26, '0'))
  const to = uuidFromText(kind, mode, prefix + characters.padEnd(26, 'Z'))
  return from === null || to === null ? null : { kind, from, to }
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The last four digits of a card, optionally with an amount: `4242`, `4242 40.00`, `4242 40.00 eur`. */
const cardPattern = /^(\d{4})(?:\s+(\d{1,12}(?:[.,]\d{1,4})?)(?:\s+([a-z]{3}))?)?$/i

function parseCard(query: string): CardSearch | null {
  const [, last4, amountText, code] = cardPattern.exec(query) ?? []
  if (last4 === undefined) return null
  if (amountText === undefined) return { last4, amounts: null }
  const decimal = amountText.replace(',', '.')
  const possible = code === undefined ? currencies : currenciesWithCode(code)
  const parsed = possible.flatMap((currency) => {
    const money = parseDecimal(decimal, currency)
    return money === null ? [] : [{ currency, amount: money.amount }]
  })
  const byAmount = Map.groupBy(parsed, ({ amount }) => amount)
  const amounts = new Map(
    [...byAmount].map(([amount, entries]) => [amount, entries.map(({ currency }) => currency)]),
  )
  return { last4, amounts }
}

function currenciesWithCode(code: string): readonly Currency[] {
  const currency = code.toLowerCase()
  return isCurrency(currency) ? [currency] : []
}
