/** The title and detail of a search result, by kind. No side effects. */
import type { Currency } from '../../../kernel/currency.ts'
import { cardText, moneyText } from '../../../kernel/money-text.ts'
import type { SearchableKind } from './query.ts'

export type Hit = {
  readonly kind: SearchableKind
  readonly id: string
  readonly title: string
  readonly detail: string | null
}

type Cell = string | number | bigint | boolean | Date | null | undefined
export type HitRow = { readonly id: string } & { readonly [column: string]: Cell }
type HitText = Pick<Hit, 'title' | 'detail'>

const joinParts = (...parts: readonly Cell[]) => {
  const present = parts.filter((part) => part !== null && part !== undefined && part !== '')
  return present.length === 0 ? null : present.join(' · ')
}
const amountOf = ({ amount, currency }: HitRow) =>
  amount === null || amount === undefined ? null : moneyText(BigInt(String(amount)), currency as Currency)
const cardOf = ({ brand, last4 }: HitRow) =>
  last4 ? cardText({ brand: String(brand ?? 'unknown'), last4: String(last4) }) : null
const firstPresent = (...values: readonly Cell[]) => String(values.find((value) => value) ?? '')

// biome-ignore format: a table.
export const hitText: { readonly [K in SearchableKind]: (row: HitRow) => HitText } = {
  customer:         (row) => ({ title: firstPresent(row.name, row.email, 'Customer'), detail: joinParts(row.email) }),
  payment:          (row) => ({ title: amountOf(row) ?? 'Payment', detail: joinParts(row.status, cardOf(row), row.order_reference) }),
  refund:           (row) => ({ title: amountOf(row) ?? 'Refund', detail: joinParts('refund', row.status) }),
  payment_method:   (row) => ({ title: cardOf(row) ?? 'Payment method', detail: joinParts(row.status) }),
  subscription:     (row) => ({ title: firstPresent(row.description, 'Subscription'), detail: joinParts(row.status) }),
  invoice:          (row) => ({ title: firstPresent(row.number, 'Draft'), detail: joinParts(amountOf(row), row.status) }),
  payment_link:     (row) => ({ title: firstPresent(row.description, 'Payment link'), detail: joinParts(amountOf(row), row.status) }),
  checkout_session: (row) => ({ title: firstPresent(row.name, row.email, amountOf(row), 'Checkout session'), detail: joinParts('checkout session', amountOf(row), row.status) }),
  product:          (row) => ({ title: firstPresent(row.name), detail: row.active ? 'active' : 'inactive' }),
  price:            (row) => ({ title: firstPresent(row.nickname, row.lookup_key, 'Price'), detail: joinParts(row.currency, row.active ? 'active' : 'inactive') }),
  payment_route:    (row) => ({ title: 'Payment route', detail: joinParts(row.status) }),
  provider_account: (row) => ({ title: firstPresent(row.display_name), detail: joinParts(row.provider, row.status) }),
  webhook_endpoint: (row) => ({ title: firstPresent(row.name, row.url), detail: joinParts(row.url, row.status) }),
  delivery:         (row) => ({ title: firstPresent(row.event_type), detail: joinParts(row.state) }),
  event:            (row) => ({ title: firstPresent(row.type), detail: joinParts((row.created_at as Date).toISOString()) }),
  request:          (row) => ({ title: `${row.method} ${row.path}`, detail: joinParts(row.status, row.error_code) }),
  dunning_campaign: (row) => ({ title: 'Dunning campaign', detail: joinParts(row.status) }),
  dunning_policy:   (row) => ({ title: firstPresent(row.name), detail: null }),
  test_clock:       (row) => ({ title: firstPresent(row.name, 'Test clock'), detail: joinParts(row.status) }),
}
