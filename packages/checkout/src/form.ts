/**
 * The fields of the form and their validation. Fields have the names that the server uses, so that its validation errors
 * can be shown at the field. Validation here only saves a round trip: the server validates again.
 */

import type { CardEntry, Choice, Confirmation, Item, Problem, Sale, ShownDiscount } from './api.ts'
import { brandOf, codeLengthOf, lengthsOf, passesLuhn } from './card/brand.ts'
import { digitsOf, parseExpiry } from './card/typing.ts'
import { asciiDigits, formatMoney, formatPlainAmount, parseAmount } from './money.ts'
import { dueNow, quantitiesToSend, withChosenQuantities, withQuantity } from './subscription.ts'
import { currentLocale, translate } from './translations.ts'

export type Values = Readonly<Record<string, string>>
/** Error messages by field, in the order of the fields. */
export type FieldErrors = ReadonlyMap<string, string>

export const cardFields = ['card.number', 'card.expiry', 'card.cvc', 'card.name'] as const
const addressParts = ['line1', 'line2', 'postal_code', 'city', 'state', 'country'] as const
const requiredAddressParts: readonly string[] = ['line1', 'city', 'country']

export function fieldsOf(sale: Sale): readonly string[] {
  return [
    ...(sale.open_amount === null ? [] : ['amount']),
    ...(adjustableItem(sale) === null ? [] : ['quantity']),
    'email',
    ...['name', 'phone'].filter((name) => collects(sale, name)),
    ...addressFields(sale, 'shipping_address'),
    ...sale.custom_fields.map(({ key }) => `custom_fields.${key}`),
    ...(sale.card_entry?.component === 'card_form' ? cardFields : []),
    ...addressFields(sale, 'billing_address'),
  ]
}

export function isOptional(sale: Sale, field: string): boolean {
  const [group, part = ''] = field.split('.')
  if (group === 'email') return !collects(sale, 'email')
  if (group === 'custom_fields') return sale.custom_fields.find(({ key }) => key === part)?.required === false
  return group?.endsWith('_address') === true && !requiredAddressParts.includes(part)
}

/** The initial values of the fields. */
export function initialValues(sale: Sale): Values {
  const suggested = sale.open_amount?.suggested ?? null
  const quantity = String(sale.items[0]?.quantity ?? 1)
  const saved = { quantity, 'saved.id': sale.saved_methods.cards[0]?.payment_method_id ?? '' }
  return suggested === null
    ? saved
    : { ...saved, amount: formatPlainAmount(suggested, sale, currentLocale()) }
}

/** Null if the payer selected a saved card, because the payer then enters no card details. */
export function cardEntryOf({ card_entry }: Sale, values: Values): CardEntry | null {
  return values['saved.id'] ? null : card_entry
}

export function validateFields(values: Values, sale: Sale, now: Date): FieldErrors {
  const errors = new Map<string, string>()
  for (const field of fieldsOf({ ...sale, card_entry: cardEntryOf(sale, values) })) {
    const error = validateField(field, values, sale, now)
    if (error !== null) errors.set(field, error)
  }
  return errors
}

/** Null if the field is valid. */
export function validateField(field: string, values: Values, sale: Sale, now: Date): string | null {
  const value = values[field]?.trim() ?? ''
  const rule = rules[field]
  if (rule !== undefined) return rule({ value, values, sale, now })
  if (value === '') return isOptional(sale, field) ? null : translate('missing')
  return isNumeric(sale, field) && !/^\d{1,50}$/.test(asciiDigits(value)) ? translate('wrong') : null
}

type FieldInput = { readonly value: string; readonly values: Values; readonly sale: Sale; readonly now: Date }

const rules: Readonly<Record<string, (input: FieldInput) => string | null>> = {
  amount: validateAmount,
  quantity: ({ value }) => (/^[1-9]\d?$/.test(asciiDigits(value)) ? null : translate('quantity_wrong')),
  email({ value, sale }) {
    if (value === '') return isOptional(sale, 'email') ? null : translate('email_missing')
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : translate('email_wrong')
  },
  phone({ value }) {
    if (value === '') return translate('missing')
    return /^[+\d ()./-]{4,40}$/.test(asciiDigits(value)) ? null : translate('wrong')
  },
  'card.number': ({ value }) => validateCardNumber(digitsOf(value)),
  'card.expiry': validateExpiry,
  'card.cvc'({ value, values }) {
    if (value === '') return translate('code_missing')
    return value.length < codeLengthOf(brandOf(digitsOf(values['card.number'] ?? '')))
      ? translate('code_short')
      : null
  },
}

function validateAmount({ value, sale }: FieldInput): string | null {
  if (value === '') return translate('amount_missing')
  const amount = parseAmount(value, sale, currentLocale())
  const { min = 1, max = Number.MAX_SAFE_INTEGER } = sale.open_amount ?? {}
  if (amount === null || amount === 0) {
    const example = formatPlainAmount(2 * 10 ** (sale.exponent + 1), sale, currentLocale())
    return translate('amount_wrong', { example })
  }
  if (amount < min) return translate('amount_small', { min: formatMoney(min, sale, currentLocale()) })
  if (amount > max) return translate('amount_large', { max: formatMoney(max, sale, currentLocale()) })
  return null
}

function validateCardNumber(digits: string): string | null {
  if (digits === '') return translate('number_missing')
  const brand = brandOf(digits)
  const lengths = lengthsOf(brand)
  if (digits.length < Math.min(...lengths)) return translate('number_short')
  // Some UnionPay numbers have no check digit.
  const isValid = lengths.includes(digits.length) && (brand === 'unionpay' || passesLuhn(digits))
  return isValid ? null : translate('number_wrong')
}

/** A card is valid until its month has ended in every time zone. */
function validateExpiry({ value, now }: FieldInput): string | null {
  if (value === '') return translate('expiry_missing')
  const expiry = parseExpiry(value)
  if (expiry === null) return translate('expiry_wrong')
  if (expiry.month < 1 || expiry.month > 12) return translate('expiry_month')
  const past = expiry.year * 12 + expiry.month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  return past ? translate('expiry_past') : null
}

/** Maps the server's validation errors to fields. Errors without a field are omitted. */
export function fieldErrorsFrom(problem: Problem, sale: Sale): FieldErrors {
  const invalidFields = problem.errors?.map(({ pointer }) => fieldOfPointer(pointer)) ?? []
  if (problem.code === 'test_card_required') return new Map([['card.number', translate('number_test')]])
  const known = fieldsOf(sale)
  const fields = invalidFields.filter((field) => known.includes(field) || lazyFields.test(field))
  return new Map(fields.map((field) => [field, translate(serverErrors[field] ?? 'wrong')]))
}

/** Fields in parts of the page that are loaded on demand: bank account numbers, and the promotion code. */
const lazyFields = /_debit\.(iban|\w+_number)|^promotion_code/

const serverErrors: Readonly<Record<string, Parameters<typeof translate>[0]>> = {
  'card.number': 'number_wrong',
  'card.expiry': 'expiry_past',
  'card.cvc': 'code_wrong',
  email: 'email_wrong',
}

function fieldOfPointer(pointer: string): string {
  const name = pointer.slice(1).replaceAll('/', '.')
  return name.startsWith('card.exp_') ? 'card.expiry' : name
}

export function confirmationOf(values: Values, sale: Sale): Confirmation {
  const custom = sale.custom_fields.map(
    ({ key }) => [key, trimmedValue(values, `custom_fields.${key}`)] as const,
  )
  const filledIn = custom.filter(([, value]) => value !== '')
  return {
    ...(values['saved.id'] && { payment_method_id: values['saved.id'] }),
    ...(values['saved.secret'] && { payer_secret: values['saved.secret'] }),
    ...(values['saved.save'] && { save_card: true as const }),
    ...(cardEntryOf(sale, values)?.component === 'card_form' && { card: enteredCard(values) }),
    ...(trimmedValue(values, 'email') !== '' && { email: trimmedValue(values, 'email') }),
    promotion_code: promotionOf(values).code,
    ...quantitiesToSend(sale, values),
    ...(sale.open_amount !== null && { amount: chosenAmount(values, sale) ?? 0 }),
    ...(collects(sale, 'name') && { name: trimmedValue(values, 'name') }),
    ...(collects(sale, 'phone') && { phone: asciiDigits(trimmedValue(values, 'phone')) }),
    ...(collects(sale, 'billing_address') && { billing_address: readAddress(values, 'billing_address') }),
    ...(collects(sale, 'shipping_address') && { shipping_address: readAddress(values, 'shipping_address') }),
    ...(filledIn.length > 0 && { custom_fields: Object.fromEntries(filledIn) }),
    browser: browserDetails(),
  }
}

function enteredCard(values: Values): NonNullable<Confirmation['card']> {
  const expiry = parseExpiry(values['card.expiry'] ?? '')
  return {
    number: digitsOf(values['card.number'] ?? ''),
    exp_month: expiry?.month ?? 0,
    exp_year: expiry?.year ?? 0,
    cvc: trimmedValue(values, 'card.cvc'),
    name: trimmedValue(values, 'card.name'),
  }
}

let browser: Confirmation['browser'] | null = null

/**
 * Read once per page: a confirmation that is sent again must not change, even if the payer rotates the phone. Values
 * that the server would reject are omitted.
 */
function browserDetails(): Confirmation['browser'] {
  const isNumber = (value: number, min: number, max: number) =>
    Number.isInteger(value) && value >= min && value <= max
  browser ??= {
    ...(/^[A-Za-z0-9-]{1,35}$/.test(navigator.language) && { language: navigator.language }),
    ...(isNumber(screen.colorDepth, 1, 48) && { color_depth: screen.colorDepth }),
    ...(isNumber(screen.width, 0, 100_000) && { screen_width: screen.width }),
    ...(isNumber(screen.height, 0, 100_000) && { screen_height: screen.height }),
    time_zone_offset_minutes: new Date().getTimezoneOffset(),
  }
  return browser
}

/**
 * The amounts that the server has computed for a promotion code. Removed if an amount or a quantity changes.
 */
type Promotion = {
  readonly code?: string
  readonly amount?: number
  readonly discounts?: readonly ShownDiscount[]
  /** The amount of each period of a subscription. */
  readonly recurring?: number | null
}

export const promotionOf = ({ promotion }: Values): Promotion => JSON.parse(promotion || '{}')

/** The amount to pay, with the discount; null while the payer has not chosen one. */
export function amountToPay(values: Values, sale: Sale): number | null {
  return promotionOf(values).amount ?? chosenAmount(values, sale)
}

/** The amount without a discount. */
function chosenAmount(values: Values, sale: Sale): number | null {
  if (sale.subscription) return dueNow(sale, sale.subscription, values)
  const item = adjustableItem(sale)
  if (item !== null) return withQuantity(item, readQuantity(values, item)).amount
  return sale.open_amount === null ? sale.amount : parseAmount(values.amount ?? '', sale, currentLocale())
}

export function choiceOf(values: Values, sale: Sale): Choice {
  const item = adjustableItem(sale)
  if (item !== null) return { quantity: readQuantity(values, item) }
  return sale.open_amount === null ? {} : { amount: chosenAmount(values, sale) ?? 0 }
}

/** The item with an adjustable quantity. Only on a link: the quantity of a session is fixed. */
function adjustableItem({ object, items, subscription }: Sale): Item | null {
  const [only, ...others] = items
  if (subscription !== null) return null
  return object === 'public_link' && only?.adjustable_quantity === true && others.length === 0 ? only : null
}

/** The items with the quantity that the payer has chosen. */
export function itemsOf(sale: Sale, values: Values): readonly Item[] {
  if (sale.subscription) return withChosenQuantities(sale, values)
  const chosen = adjustableItem(sale)
  return chosen === null ? sale.items : [withQuantity(chosen, readQuantity(values, chosen))]
}

function readQuantity(values: Values, item: Item): number {
  const typed = Number(asciiDigits(values.quantity ?? String(item.quantity)))
  return Number.isInteger(typed) && typed > 0 ? Math.min(typed, 99) : item.quantity
}

function isNumeric(sale: Sale, field: string): boolean {
  return sale.custom_fields.some(({ key, type }) => type === 'numeric' && field === `custom_fields.${key}`)
}

/** The form values without card details or bank account details. */
export function withoutCard(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !/^(card|[a-z]+_debit)\./.test(name)))
}

function collects(sale: Sale, name: string): boolean {
  return (sale.collect as readonly string[]).includes(name)
}

function addressFields(sale: Sale, group: string): string[] {
  return collects(sale, group) ? addressParts.map((part) => `${group}.${part}`) : []
}

function readAddress(values: Values, group: string): Record<string, string> {
  const parts = addressParts.map((part) => [part, trimmedValue(values, `${group}.${part}`)] as const)
  return Object.fromEntries(parts.filter(([, value]) => value !== ''))
}

function trimmedValue(values: Values, field: string): string {
  return values[field]?.trim() ?? ''
}
