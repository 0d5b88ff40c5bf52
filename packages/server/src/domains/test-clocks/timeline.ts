/** What happened on a clock, in sentences. Pure. */
import { isCurrency } from '../../kernel/currency.ts'
import { moneyText } from '../../kernel/money-text.ts'

/** An event as it was told in the time of a clock. */
export type ToldEvent = {
  readonly id: string
  readonly type: string
  readonly data: string
}

export type Entry = {
  readonly id: string
  readonly type: string
  /** By the clock. */
  readonly at: Date
  readonly objectId: string
  readonly sentence: string
}

type Content = {
  readonly object: Readonly<Record<string, unknown>>
  readonly test_clock: { readonly now_at: string }
}

/** `about` says of a type of events when it happens; the entry adds what it happened to. */
export function entryOf({ id, type, data }: ToldEvent, about: (type: string) => string): Entry {
  const { object, test_clock: clock } = JSON.parse(data) as Content
  const sentence = typeof object.summary === 'string' ? object.summary : withDetails(about(type), object)
  return { id, type, at: new Date(clock.now_at), objectId: String(object.id), sentence }
}

/** As `An invoice was drafted (USD 29.99).` What else is said of the type is for those who write receivers. */
function withDetails(about: string, object: Content['object']): string {
  const details = detailsOf(object)
  const [first = ''] = about.split(/(?<=\.)\s/)
  return details.length === 0 ? first : `${first.replace(/\.$/, '')} (${details.join(', ')}).`
}

function detailsOf(object: Content['object']): string[] {
  const { number, total, amount, currency, decline_code: decline, next_attempt_at: next } = object
  const sum = total ?? amount
  const code = String(currency)
  return [
    ...(typeof number === 'string' ? [number] : []),
    ...(typeof sum === 'number' && isCurrency(code) ? [moneyOf(sum, code)] : []),
    ...(typeof decline === 'string' ? [decline.replaceAll('_', ' ')] : []),
    ...(typeof next === 'string' ? [`next try at ${next.slice(0, 16).replace('T', ' ')}`] : []),
  ]
}

function moneyOf(amount: number, currency: Parameters<typeof moneyText>[1]): string {
  const text = moneyText(BigInt(Math.abs(amount)), currency)
  return amount < 0 ? `-${text}` : text
}
