/** What a text that somebody searches for may mean. Everything it may mean is a whole key of an index. Pure. */
import { type Currency, currencies, isCurrency } from '../../kernel/currency.ts'
import { idFromUuid, type Kind, type Mode, uuidFromText } from '../../kernel/id.ts'
import { parseDecimal } from '../../kernel/money.ts'

/** What can be found: all that every role may read, and that is read by its id alone. */
export const foundKinds = [
  ...(['customer', 'payment', 'refund', 'payment_method', 'subscription', 'invoice'] as const),
  ...(['payment_link', 'checkout_session', 'product', 'price', 'payment_route'] as const),
  ...(['provider_account', 'webhook_endpoint', 'delivery', 'event', 'request'] as const),
  ...(['dunning_campaign', 'dunning_policy', 'test_clock'] as const),
] as const satisfies readonly Kind[]
export type FoundKind = (typeof foundKinds)[number]

export type IdStretch = { readonly kind: FoundKind; readonly from: string; readonly to: string }
export type CardAndAmount = {
  readonly last4: string
  /** What the amount is in minor units, by the number of decimal places of the currency. */
  readonly amounts: ReadonlyMap<bigint, readonly Currency[]>
}

export type Meaning = {
  readonly ids: IdStretch | null
  readonly email: string | null
  /** A word that something is known by elsewhere: an order, a number of an invoice, a reference of a provider. */
  readonly word: string | null
  readonly card: CardAndAmount | null
}

const nothing: Meaning = { ids: null, email: null, word: null, card: null }

export function meaningOf(text: string, mode: Mode): Meaning {
  const query = text.trim()
  if (query === '') return nothing
  const ids = idsOf(query, mode)
  // What looks like an id of ours is nothing else.
  if (ids !== null) return { ...nothing, ids }
  const card = cardOf(query)
  if (query.includes('@')) return { ...nothing, email: query, word: query }
  return { ...nothing, word: query, card }
}

const idShape = /^([a-z]+(?:_[a-z]+)*?)_(test_)?([0-7][0-9A-HJKMNP-TV-Z]{5,25})$/i
/** Under it we are known to providers: the last characters of the payment's id, and the number of the operation. */
const referenceShape = /^([0-7][0-9A-HJKMNP-TV-Z]{25})-\d{1,4}$/i

/** An id, or the beginning of one with at least six characters behind its kind. */
function idsOf(query: string, mode: Mode): IdStretch | null {
  const reference = referenceShape.exec(query)?.[1]
  if (reference !== undefined) return stretchOf('payment', mode, reference)
  const [, name, isTest, characters] = idShape.exec(query) ?? []
  const kind = foundKinds.find((one) => one === name?.toLowerCase())
  if (kind === undefined || characters === undefined) return null
  if ((isTest === undefined) !== (mode === 'live')) return null
  return stretchOf(kind, mode, characters)
}

function stretchOf(kind: FoundKind, mode: Mode, characters: string): IdStretch | null {
  const prefix = idFromUuid(kind, mode, emptyUuid).slice(0, -26)
  const from = uuidFromText(kind, mode, prefix + characters.padEnd(26, '0'))
  const to = uuidFromText(kind, mode, prefix + characters.padEnd(26, 'Z'))
  return from === null || to === null ? null : { kind, from, to }
}

const emptyUuid = '00000000-0000-0000-0000-000000000000'

/** The last digits of a card and an amount, as a bank statement has them: `4242 40.00`, also with a currency. */
const cardShape = /^(\d{4})\s+(\d{1,12}(?:[.,]\d{1,4})?)(?:\s+([a-z]{3}))?$/i

function cardOf(query: string): CardAndAmount | null {
  const [, last4, written, code] = cardShape.exec(query) ?? []
  if (last4 === undefined || written === undefined) return null
  const decimal = written.replace(',', '.')
  const wanted = code === undefined ? currencies : currenciesNamed(code)
  const known = wanted.flatMap((currency) => {
    const money = parseDecimal(decimal, currency)
    return money === null ? [] : [{ currency, amount: money.amount }]
  })
  const byAmount = Map.groupBy(known, ({ amount }) => amount)
  const amounts = new Map([...byAmount].map(([amount, all]) => [amount, all.map(({ currency }) => currency)]))
  return { last4, amounts }
}

function currenciesNamed(code: string): readonly Currency[] {
  const currency = code.toLowerCase()
  return isCurrency(currency) ? [currency] : []
}
