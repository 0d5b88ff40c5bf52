/** How what was found is called, so that a person recognizes it. Pure. */
import type { Currency } from '../../kernel/currency.ts'
import { moneyText } from '../../kernel/money-text.ts'
import type { FoundKind } from './query.ts'

export type Hit = {
  readonly kind: FoundKind
  readonly id: string
  readonly title: string
  readonly detail: string | null
}

type Cell = string | number | bigint | boolean | Date | null | undefined
export type HitRow = { readonly id: string } & { readonly [column: string]: Cell }
type Words = Pick<Hit, 'title' | 'detail'>

const joined = (...parts: readonly Cell[]) => {
  const said = parts.filter((part) => part !== null && part !== undefined && part !== '')
  return said.length === 0 ? null : said.join(' · ')
}
const amountOf = ({ amount, currency }: HitRow) =>
  amount === null || amount === undefined ? null : moneyText(BigInt(String(amount)), currency as Currency)
const cardOf = ({ brand, last4 }: HitRow) => (last4 ? `${brand ?? 'card'} ${last4}` : null)
const named = (...names: readonly Cell[]) => String(names.find((name) => name) ?? '')

/** One for each kind; a sentence of none of them is made by anybody else. */
// biome-ignore format: a table.
export const wordsFor: { readonly [K in FoundKind]: (row: HitRow) => Words } = {
  customer:         (row) => ({ title: named(row.name, row.email, 'Customer'), detail: joined(row.email) }),
  payment:          (row) => ({ title: amountOf(row) ?? 'Payment', detail: joined(row.status, cardOf(row), row.order_reference) }),
  refund:           (row) => ({ title: amountOf(row) ?? 'Refund', detail: joined('refund', row.status) }),
  payment_method:   (row) => ({ title: cardOf(row) ?? 'Payment method', detail: joined(row.status) }),
  subscription:     (row) => ({ title: named(row.description, 'Subscription'), detail: joined(row.status) }),
  invoice:          (row) => ({ title: named(row.number, 'Draft'), detail: joined(amountOf(row), row.status) }),
  payment_link:     (row) => ({ title: named(row.description, 'Payment link'), detail: joined(amountOf(row), row.status) }),
  checkout_session: (row) => ({ title: named(amountOf(row), 'Checkout session'), detail: joined(row.status) }),
  product:          (row) => ({ title: named(row.name), detail: row.active ? 'active' : 'inactive' }),
  price:            (row) => ({ title: named(row.nickname, row.lookup_key, 'Price'), detail: joined(row.currency, row.active ? 'active' : 'inactive') }),
  payment_route:    (row) => ({ title: 'Payment route', detail: joined(row.status) }),
  provider_account: (row) => ({ title: named(row.display_name), detail: joined(row.provider, row.status) }),
  webhook_endpoint: (row) => ({ title: named(row.name, row.url), detail: joined(row.url, row.status) }),
  delivery:         (row) => ({ title: named(row.event_type), detail: joined(row.state) }),
  event:            (row) => ({ title: named(row.type), detail: joined((row.created_at as Date).toISOString()) }),
  request:          (row) => ({ title: `${row.method} ${row.path}`, detail: joined(row.status, row.error_code) }),
  dunning_campaign: (row) => ({ title: 'Dunning campaign', detail: joined(row.status) }),
  dunning_policy:   (row) => ({ title: named(row.name), detail: null }),
  test_clock:       (row) => ({ title: named(row.name, 'Test clock'), detail: joined(row.status) }),
}
