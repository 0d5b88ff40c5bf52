/**
 * What the payer is asked for, in the order of the page, and what is wrong with it. Fields are named as the server
 * names them, so that its faults find their way back to the field. The rules here spare a round trip; the server's
 * are the ones that count.
 */
import { brandOf, codeLengthOf, lengthsOf, passesLuhn } from './card/brand.ts'
import { digitsOf, readExpiry } from './card/typing.ts'
import type { Choice, Confirmation, Item, Problem, Sale } from './doors.ts'
import { amountOf, asciiDigits, moneyText, plainAmount } from './money.ts'
import { currentLocale, say } from './words.ts'

export type Values = Readonly<Record<string, string>>
/** A sentence per field, in the order of the fields. */
export type Faults = ReadonlyMap<string, string>

export const cardFields = ['card.number', 'card.expiry', 'card.cvc', 'card.name'] as const
export const addressParts = ['line1', 'line2', 'postal_code', 'city', 'state', 'country'] as const
const neededAddressParts: readonly string[] = ['line1', 'city', 'country']

export function fieldsOf(sale: Sale): readonly string[] {
  return [
    ...(sale.open_amount === null ? [] : ['amount']),
    ...(adjustableItem(sale) === null ? [] : ['quantity']),
    'email',
    ...['name', 'phone'].filter((name) => asks(sale, name)),
    ...addressFields(sale, 'shipping_address'),
    ...sale.custom_fields.map(({ key }) => `custom_fields.${key}`),
    ...cardFields,
    ...addressFields(sale, 'billing_address'),
  ]
}

export function isOptional(sale: Sale, field: string): boolean {
  const [group, part = ''] = field.split('.')
  if (group === 'email') return !asks(sale, 'email')
  if (group === 'custom_fields') return sale.custom_fields.find(({ key }) => key === part)?.required === false
  return group?.endsWith('_address') === true && !neededAddressParts.includes(part)
}

export function faultsOf(values: Values, sale: Sale, now: Date): Faults {
  const faults = new Map<string, string>()
  for (const field of fieldsOf(sale)) {
    const fault = faultOf(field, values, sale, now)
    if (fault !== null) faults.set(field, fault)
  }
  return faults
}

/** Null if there is nothing to say against it. */
export function faultOf(field: string, values: Values, sale: Sale, now: Date): string | null {
  const value = values[field]?.trim() ?? ''
  const rule = rules[field]
  if (rule !== undefined) return rule({ value, values, sale, now })
  if (value === '') return isOptional(sale, field) ? null : say('missing')
  return isNumeric(sale, field) && !/^\d{1,50}$/.test(asciiDigits(value)) ? say('wrong') : null
}

type Question = { readonly value: string; readonly values: Values; readonly sale: Sale; readonly now: Date }

const rules: Readonly<Record<string, (question: Question) => string | null>> = {
  amount: faultOfAmount,
  quantity: ({ value }) => (/^[1-9]\d?$/.test(asciiDigits(value)) ? null : say('quantity_wrong')),
  email({ value, sale }) {
    if (value === '') return isOptional(sale, 'email') ? null : say('email_missing')
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : say('email_wrong')
  },
  phone({ value }) {
    if (value === '') return say('missing')
    return /^[+\d ()./-]{4,40}$/.test(asciiDigits(value)) ? null : say('wrong')
  },
  'card.number': ({ value }) => faultOfNumber(digitsOf(value)),
  'card.expiry': faultOfExpiry,
  'card.cvc'({ value, values }) {
    if (value === '') return say('code_missing')
    return value.length < codeLengthOf(brandOf(digitsOf(values['card.number'] ?? '')))
      ? say('code_short')
      : null
  },
}

function faultOfAmount({ value, sale }: Question): string | null {
  if (value === '') return say('amount_missing')
  const amount = amountOf(value, sale, currentLocale())
  const { min = 1, max = Number.MAX_SAFE_INTEGER } = sale.open_amount ?? {}
  if (amount === null || amount === 0) {
    const example = plainAmount(2 * 10 ** (sale.exponent + 1), sale, currentLocale())
    return say('amount_wrong', { example })
  }
  if (amount < min) return say('amount_small', { min: moneyText(min, sale, currentLocale()) })
  if (amount > max) return say('amount_large', { max: moneyText(max, sale, currentLocale()) })
  return null
}

function faultOfNumber(digits: string): string | null {
  if (digits === '') return say('number_missing')
  const brand = brandOf(digits)
  const lengths = lengthsOf(brand)
  if (digits.length < Math.min(...lengths)) return say('number_short')
  // Some numbers of UnionPay have no check digit.
  const isWhole = lengths.includes(digits.length) && (brand === 'unionpay' || passesLuhn(digits))
  return isWhole ? null : say('number_wrong')
}

/** A card is good to the end of its month, wherever on earth that ends last. */
function faultOfExpiry({ value, now }: Question): string | null {
  if (value === '') return say('expiry_missing')
  const expiry = readExpiry(value)
  if (expiry === null) return say('expiry_wrong')
  if (expiry.month < 1 || expiry.month > 12) return say('expiry_month')
  const past = expiry.year * 12 + expiry.month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  return past ? say('expiry_past') : null
}

/** What the server found, at the fields where it found it. What has no field is left out. */
export function faultsFrom(problem: Problem, sale: Sale): Faults {
  const found = new Set(problem.errors?.map(({ pointer }) => fieldAt(pointer)))
  if (problem.code === 'test_card_required') return new Map([['card.number', say('number_test')]])
  const fields = fieldsOf(sale).filter((field) => found.has(field))
  return new Map(fields.map((field) => [field, sentences[field]?.() ?? say('wrong')]))
}

const sentences: Readonly<Record<string, () => string>> = {
  'card.number': () => say('number_wrong'),
  'card.expiry': () => say('expiry_past'),
  'card.cvc': () => say('code_wrong'),
  email: () => say('email_wrong'),
}

function fieldAt(pointer: string): string {
  const name = pointer.slice(1).replaceAll('/', '.')
  return name.startsWith('card.exp_') ? 'card.expiry' : name
}

export function confirmationOf(values: Values, sale: Sale): Confirmation {
  const expiry = readExpiry(values['card.expiry'] ?? '')
  const custom = sale.custom_fields.map(({ key }) => [key, text(values, `custom_fields.${key}`)] as const)
  const given = custom.filter(([, value]) => value !== '')
  return {
    card: {
      number: digitsOf(values['card.number'] ?? ''),
      exp_month: expiry?.month ?? 0,
      exp_year: expiry?.year ?? 0,
      cvc: text(values, 'card.cvc'),
      name: text(values, 'card.name'),
    },
    ...(text(values, 'email') !== '' && { email: text(values, 'email') }),
    ...(sale.open_amount !== null && { amount: chosenAmount(values, sale) ?? 0 }),
    ...(asks(sale, 'name') && { name: text(values, 'name') }),
    ...(asks(sale, 'phone') && { phone: asciiDigits(text(values, 'phone')) }),
    ...(asks(sale, 'billing_address') && { billing_address: addressIn(values, 'billing_address') }),
    ...(asks(sale, 'shipping_address') && { shipping_address: addressIn(values, 'shipping_address') }),
    ...(given.length > 0 && { custom_fields: Object.fromEntries(given) }),
  }
}

/** What will be paid as things stand; null while the payer has not chosen it. */
export function chosenAmount(values: Values, sale: Sale): number | null {
  const item = adjustableItem(sale)
  if (item !== null) return item.unit_amount * quantityIn(values, item)
  return sale.open_amount === null ? sale.amount : amountOf(values.amount ?? '', sale, currentLocale())
}

export function choiceOf(values: Values, sale: Sale): Choice {
  const item = adjustableItem(sale)
  if (item !== null) return { quantity: quantityIn(values, item) }
  return sale.open_amount === null ? {} : { amount: chosenAmount(values, sale) ?? 0 }
}

/** What the payer may buy several of. A session is about so many of them; a link is not yet. */
function adjustableItem({ object, items }: Sale): Item | null {
  const [only, ...others] = items
  return object === 'public_link' && only?.adjustable_quantity === true && others.length === 0 ? only : null
}

/** What is bought, as many of each as the payer wants. */
export function itemsOf(sale: Sale, values: Values): readonly Item[] {
  const chosen = adjustableItem(sale)
  return chosen === null ? sale.items : [{ ...chosen, quantity: quantityIn(values, chosen) }]
}

function quantityIn(values: Values, item: Item): number {
  const typed = Number(asciiDigits(values.quantity ?? String(item.quantity)))
  return Number.isInteger(typed) && typed > 0 ? Math.min(typed, 99) : item.quantity
}

function isNumeric(sale: Sale, field: string): boolean {
  return sale.custom_fields.some(({ key, type }) => type === 'numeric' && field === `custom_fields.${key}`)
}

export function withoutCard(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith('card.')))
}

function asks(sale: Sale, name: string): boolean {
  return (sale.collect as readonly string[]).includes(name)
}

function addressFields(sale: Sale, group: string): string[] {
  return asks(sale, group) ? addressParts.map((part) => `${group}.${part}`) : []
}

function addressIn(values: Values, group: string): Record<string, string> {
  const parts = addressParts.map((part) => [part, text(values, `${group}.${part}`)] as const)
  return Object.fromEntries(parts.filter(([, value]) => value !== ''))
}

function text(values: Values, field: string): string {
  return values[field]?.trim() ?? ''
}
