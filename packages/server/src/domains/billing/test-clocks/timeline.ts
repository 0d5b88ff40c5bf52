/** Describes the events on a test clock in sentences. No side effects. */
import { isCurrency } from '../../../kernel/currency.ts'
import { moneyText } from '../../../kernel/money-text.ts'

/** An event that was emitted at the time of a clock. */
export type TimelineEvent = {
  readonly id: string
  readonly type: string
  readonly data: string
}

export type Entry = {
  readonly id: string
  readonly type: string
  /** The time of the clock. */
  readonly at: Date
  readonly objectId: string
  readonly sentence: string
}

type Content = {
  readonly object: Readonly<Record<string, unknown>>
  readonly test_clock: { readonly now_at: string }
}

/** `about` returns the description of an event type; the entry adds details of its object. */
export function entryOf({ id, type, data }: TimelineEvent, about: (type: string) => string): Entry {
  const { object, test_clock: clock } = JSON.parse(data) as Content
  const sentence = typeof object.summary === 'string' ? object.summary : withDetails(about(type), object)
  return { id, type, at: new Date(clock.now_at), objectId: String(object.id), sentence }
}

/** For example `An invoice was drafted ($29.99).` Uses only the first sentence of the description. */
function withDetails(about: string, object: Content['object']): string {
  const details = detailsOf(object)
  const [first = ''] = about.split(/(?<=\.)\s/)
  return details.length === 0 ? first : `${first.replace(/\.$/, '')} (${details.join(', ')}).`
}

function detailsOf(object: Content['object']): string[] {
  const { number, total, amount, currency, decline_code: decline, next_attempt_at: next } = object
  const value = total ?? amount
  const code = String(currency)
  return [
    ...(typeof number === 'string' ? [number] : []),
    ...(typeof value === 'number' && isCurrency(code) ? [moneyText(BigInt(value), code)] : []),
    ...(typeof decline === 'string' ? [decline.replaceAll('_', ' ')] : []),
    ...(typeof next === 'string' ? [`next attempt at ${next.slice(0, 16).replace('T', ' ')}`] : []),
  ]
}
