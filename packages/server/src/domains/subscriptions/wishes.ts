/** What a body asks for, as the plans understand it. What is not said is what most people mean. */
import { isTimeZone, wholeSecond } from '../../kernel/calendar.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { Command, Settings, When } from './plan/commands.ts'
import type { ResumeWish } from './plan/resume.ts'
import {
  type CancelWish,
  type EndBehaviour,
  type Item,
  type MissingMethod,
  maxItems,
  type OpenInvoices,
  type PauseWish,
  type ScheduledChange,
  type Stub,
  type Subscription,
  type Terms,
  type Trial,
  type UnusedTime,
} from './subscription.ts'

type Text = string | undefined

export function whenOf<Word extends string>(text: Text, words: readonly Word[], usual: Word): Word | Date {
  if (text === undefined) return usual
  return words.find((word) => word === text) ?? timeIn(text, '/at')
}

/** A form that the schema let through may still name no time, such as the 31st of February. */
export function timeIn(text: string, pointer: string): Date {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? refuseMember(pointer, 'bad_format', 'must be a time') : wholeSecond(at)
}

const timeOrNull = (text: Text | null, pointer: string) => (text == null ? null : timeIn(text, pointer))

type PauseInput = { at?: Text; resumes_at?: Text | null; open_invoices?: Text; unused_time?: Text }

export function pauseWish(input: PauseInput): PauseWish {
  return {
    resumesAt: timeOrNull(input.resumes_at, '/resumes_at'),
    openInvoices: (input.open_invoices ?? 'continue') as OpenInvoices,
    unusedTime: (input.unused_time ?? 'keep') as UnusedTime,
  }
}

export function pauseCommand(input: PauseInput): Command {
  const at: When = whenOf(input.at, ['now', 'period_end'], 'now')
  return { is: 'pause', at, wish: pauseWish(input) }
}

export function resumeCommand(input: { at?: Text; open_invoices?: Text }): Command {
  const openInvoices = (input.open_invoices ?? 'collect') as ResumeWish['openInvoices']
  return { is: 'resume', at: whenOf(input.at, ['now'], 'now'), wish: { openInvoices } }
}

type CancelInput = { at?: Text; open_invoices?: Text; unused_time?: Text; feedback?: Text | null }

function cancelWish(input: CancelInput): CancelWish {
  return {
    unusedTime: (input.unused_time ?? 'forfeit') as CancelWish['unusedTime'],
    openInvoices: (input.open_invoices ?? 'stop') as OpenInvoices,
    feedback: input.feedback ?? null,
  }
}

export function cancelCommand(input: CancelInput): Command {
  const at: When = whenOf(input.at, ['now', 'period_end'], 'now')
  return { is: 'cancel', at, wish: cancelWish(input) }
}

type TrialInput = {
  readonly days?: number | undefined
  readonly end_at?: Text
  readonly end_behaviour?: EndBehaviour | undefined
  readonly missing_payment_method?: MissingMethod | undefined
}

export function trialOf(input: TrialInput | null | undefined, startAt: Date): Trial | null {
  if (input == null) return null
  if ((input.days === undefined) === (input.end_at === undefined))
    refuseMember('/trial', 'required', 'has either days or end_at')
  const days = input.days ?? 0
  const endAt =
    input.end_at === undefined
      ? new Date(startAt.getTime() + days * 86_400_000)
      : timeIn(input.end_at, '/trial/end_at')
  if (endAt <= startAt) refuseMember('/trial/end_at', 'too_small', 'must be a time to come')
  return {
    ...{ startAt, endAt, endBehaviour: input.end_behaviour ?? 'activate' },
    missingPaymentMethod: input.missing_payment_method ?? 'pause',
  }
}

type AnchorInput = {
  readonly day_of_month?: number | undefined
  readonly time_zone?: Text
  readonly stub?: Stub | undefined
}

export function anchorWishOf(
  input: AnchorInput | undefined,
  { unit }: Terms['interval'],
): Terms['anchorWish'] {
  const timeZone = input?.time_zone ?? 'UTC'
  if (!isTimeZone(timeZone))
    refuseMember('/anchor/time_zone', 'bad_format', 'must be a name of the time zone database')
  const dayOfMonth = input?.day_of_month ?? null
  if (dayOfMonth !== null && (unit === 'day' || unit === 'week'))
    refuseMember('/anchor/day_of_month', 'not_together', 'is for intervals of months and years')
  return { dayOfMonth, timeZone, stub: input?.stub ?? 'prorate' }
}

export function scheduledOf(
  input: { readonly action: 'cancel' | 'pause'; readonly at: string } | undefined,
): ScheduledChange | null {
  if (input === undefined) return null
  const at = whenOf(input.at, ['period_end'], 'period_end')
  return input.action === 'cancel'
    ? { action: 'cancel', at, payload: cancelWish({}) }
    : { action: 'pause', at, payload: pauseWish({}) }
}

type SettingsInput = {
  readonly activation_policy?: Terms['activationPolicy'] | undefined
  readonly description?: string | null | undefined
  readonly metadata?: { readonly [key: string]: string | null } | undefined
}

/** What only has to be written down. */
export function settingsOf(before: Pick<Terms, 'metadata'>, input: SettingsInput): Settings {
  const { activation_policy: policy, description, metadata } = input
  return {
    ...(policy === undefined ? {} : { activationPolicy: policy }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata: mergeMetadata(before.metadata, metadata) }),
  }
}

export type ItemInput = {
  readonly id?: Text
  readonly price_id?: Text
  readonly quantity?: number | undefined
  readonly delete?: boolean | undefined
  readonly metadata?: { readonly [key: string]: string | null } | undefined
}

export type PricedItem = Pick<Item, 'priceId' | 'productId' | 'unitAmountDecimal'>

/** The items as they shall be. `prices` has one for each input that names one, at the same place. */
export function itemsAfter(
  { items }: Pick<Subscription, 'items'>,
  inputs: readonly ItemInput[],
  prices: readonly (PricedItem | null)[],
  newItemId: () => Item['id'],
): Item[] {
  const after = inputs.reduce<readonly Item[]>((before, input, place) => {
    const price = prices[place] ?? null
    const found = itemNamed(before, input, price, place)
    const base = found ?? bornOf(price, newItemId, place)
    if (input.delete) return before.filter(({ id }) => id !== base.id)
    const changed = {
      ...{ ...base, ...price, quantity: input.quantity ?? base.quantity },
      metadata: mergeMetadata(base.metadata, input.metadata ?? {}),
    }
    if (found === null) return before.concat(changed)
    return before.map((item) => (item.id === base.id ? changed : item))
  }, items)
  if (after.length === 0) refuseMember('/items', 'too_short', 'at least one has to stay')
  if (after.length > maxItems) refuseMember('/items', 'too_many', `there can be ${maxItems}`)
  return [...after]
}

/** By its id, or by its price: a second item of one price would only be its quantity. */
function itemNamed(
  items: readonly Item[],
  { id }: ItemInput,
  price: PricedItem | null,
  place: number,
): Item | null {
  const found = items.find((item) => (id === undefined ? item.priceId === price?.priceId : item.id === id))
  if (id === undefined || found !== undefined) return found ?? null
  const errors = [
    { pointer: `/items/${place}/id`, code: 'not_found', detail: 'There is no such item.' } as const,
  ]
  return refuse('reference_not_found', { errors })
}

function bornOf(price: PricedItem | null, newItemId: () => Item['id'], place: number): Item {
  if (price === null)
    return refuseMember(`/items/${place}`, 'required', 'has the id of an item, or a price_id')
  return { ...price, id: newItemId(), quantity: 1, metadata: {} }
}
