/** Converts request bodies to commands. Omitted fields get defaults. */

import { wholeSecond } from '../../../kernel/calendar.ts'
import { faultsOfAnchor } from '../../../kernel/cart.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { parseTime } from '../../../kernel/time-input.ts'
import type { Command, Settings, When } from './plan/commands.ts'
import type { ResumeOptions } from './plan/resume.ts'
import {
  type CancelOptions,
  type Item,
  type MissingMethodBehaviour,
  maxItems,
  type OpenInvoices,
  type PauseOptions,
  type PricedItem,
  type ScheduledChange,
  type Stub,
  type Subscription,
  type SubscriptionTerms,
  type Trial,
  type TrialEndBehaviour,
  termsOfItem,
  type UnusedTime,
} from './subscription.ts'

type OptionalText = string | undefined

export function parseWhen<Keyword extends string>(
  text: OptionalText,
  keywords: readonly Keyword[],
  fallback: Keyword,
): Keyword | Date {
  if (text === undefined) return fallback
  return keywords.find((keyword) => keyword === text) ?? parseWholeSecond(text, '/at')
}

/** Subscriptions count whole seconds. */
export function parseWholeSecond(text: string, pointer: string): Date {
  return wholeSecond(parseTime(text, pointer))
}

const parseTimeOrNull = (text: OptionalText | null, pointer: string) =>
  text == null ? null : parseWholeSecond(text, pointer)

type PauseInput = {
  at?: OptionalText
  resumes_at?: OptionalText | null
  open_invoices?: OptionalText
  unused_time?: OptionalText
}

export function pauseOptions(input: PauseInput): PauseOptions {
  return {
    resumesAt: parseTimeOrNull(input.resumes_at, '/resumes_at'),
    openInvoices: (input.open_invoices ?? 'continue') as OpenInvoices,
    unusedTime: (input.unused_time ?? 'keep') as UnusedTime,
  }
}

export function pauseCommand(input: PauseInput): Command {
  const at: When = parseWhen(input.at, ['now', 'period_end'], 'now')
  return { kind: 'pause', at, options: pauseOptions(input) }
}

export function resumeCommand(input: { at?: OptionalText; open_invoices?: OptionalText }): Command {
  const openInvoices = (input.open_invoices ?? 'collect') as ResumeOptions['openInvoices']
  return { kind: 'resume', at: parseWhen(input.at, ['now'], 'now'), options: { openInvoices } }
}

type CancelInput = {
  at?: OptionalText
  open_invoices?: OptionalText
  unused_time?: OptionalText
  feedback?: OptionalText | null
}

function cancelOptions(input: CancelInput): CancelOptions {
  return {
    unusedTime: (input.unused_time ?? 'forfeit') as CancelOptions['unusedTime'],
    openInvoices: (input.open_invoices ?? 'stop') as OpenInvoices,
    feedback: input.feedback ?? null,
  }
}

export function cancelCommand(input: CancelInput): Command {
  const at: When = parseWhen(input.at, ['now', 'period_end'], 'now')
  return { kind: 'cancel', at, options: cancelOptions(input) }
}

type TrialInput = {
  readonly days?: number | undefined
  readonly end_at?: OptionalText
  readonly end_behaviour?: TrialEndBehaviour | undefined
  readonly missing_payment_method?: MissingMethodBehaviour | undefined
}

export function trialOf(input: TrialInput | null | undefined, startAt: Date): Trial | null {
  if (input == null) return null
  if ((input.days === undefined) === (input.end_at === undefined))
    refuseMember('/trial', 'required', 'must have either days or end_at')
  const days = input.days ?? 0
  const endAt =
    input.end_at === undefined
      ? new Date(startAt.getTime() + days * 86_400_000)
      : parseWholeSecond(input.end_at, '/trial/end_at')
  if (endAt <= startAt) refuseMember('/trial/end_at', 'too_small', 'must be in the future')
  return {
    startAt,
    endAt,
    endBehaviour: input.end_behaviour ?? 'activate',
    missingPaymentMethod: input.missing_payment_method ?? 'pause',
  }
}

type AnchorInput = {
  readonly day_of_month?: number | undefined
  readonly time_zone?: OptionalText
  readonly stub?: Stub | undefined
}

export function anchorOf(
  input: AnchorInput | undefined,
  { unit }: SubscriptionTerms['interval'],
): SubscriptionTerms['requestedAnchor'] {
  const [fault] = faultsOfAnchor(input, unit)
  if (fault !== undefined) refuseMember(fault.pointer, fault.code, fault.detail)
  return {
    dayOfMonth: input?.day_of_month ?? null,
    timeZone: input?.time_zone ?? 'UTC',
    stub: input?.stub ?? 'prorate',
  }
}

export function scheduledChangeOf(
  input: { readonly action: 'cancel' | 'pause'; readonly at: string } | undefined,
): ScheduledChange | null {
  if (input === undefined) return null
  const at = parseWhen(input.at, ['period_end'], 'period_end')
  return input.action === 'cancel'
    ? { action: 'cancel', at, payload: cancelOptions({}) }
    : { action: 'pause', at, payload: pauseOptions({}) }
}

type SettingsInput = {
  readonly activation_policy?: SubscriptionTerms['activationPolicy'] | undefined
  readonly description?: string | null | undefined
  readonly metadata?: { readonly [key: string]: string | null } | undefined
}

/** The settings of a request that can be used without a lookup. */
export function settingsOf(before: Pick<SubscriptionTerms, 'metadata'>, input: SettingsInput): Settings {
  const { activation_policy: policy, description, metadata } = input
  return {
    ...(policy === undefined ? {} : { activationPolicy: policy }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata: mergeMetadata(before.metadata, metadata) }),
  }
}

export type ItemInput = {
  readonly id?: OptionalText
  readonly price_id?: OptionalText
  readonly quantity?: number | undefined
  readonly delete?: boolean | undefined
  readonly metadata?: { readonly [key: string]: string | null } | undefined
}

/** The items after the change. `prices` has an entry for each input: null if the input has no `price_id`. */
export function itemsAfter(
  { items }: Pick<Subscription, 'items'>,
  inputs: readonly ItemInput[],
  prices: readonly (PricedItem | null)[],
  newItemId: () => Item['id'],
): Item[] {
  const after = inputs.reduce<readonly Item[]>((before, input, index) => {
    const price = prices[index] ?? null
    const found = findItem(before, input, price)
    if (found === null && input.id !== undefined) refuseUnknownItem(index)
    const base = found ?? newItem(price, newItemId, index)
    if (input.delete) return before.filter(({ id }) => id !== base.id)
    const terms = price ?? base
    const changed: Item = {
      id: base.id,
      ...termsOfItem(terms),
      quantity: input.quantity ?? base.quantity,
      metadata: mergeMetadata(base.metadata, input.metadata ?? {}),
    }
    if (found === null) return before.concat(changed)
    return before.map((item) => (item.id === base.id ? changed : item))
  }, items)
  if (after.length === 0) refuseMember('/items', 'too_short', 'must contain at least one item')
  if (after.length > maxItems) refuseMember('/items', 'too_many', `must have at most ${maxItems} items`)
  return [...after]
}

/** Finds the item by its id or by its price: at most one item has a given price. */
export function findItem(
  items: readonly Item[],
  { id }: Pick<ItemInput, 'id'>,
  price: PricedItem | null,
): Item | null {
  return items.find((item) => (id === undefined ? item.priceId === price?.priceId : item.id === id)) ?? null
}

function refuseUnknownItem(index: number): never {
  const errors = [
    {
      pointer: `/items/${index}/id`,
      code: 'not_found',
      detail: 'is not the id of an item of this subscription',
    } as const,
  ]
  return refuse('reference_not_found', { errors })
}

function newItem(price: PricedItem | null, newItemId: () => Item['id'], index: number): Item {
  if (price === null)
    return refuseMember(`/items/${index}`, 'required', 'must have the id of an existing item, or a price_id')
  return { ...price, id: newItemId(), quantity: 1, metadata: {} }
}
