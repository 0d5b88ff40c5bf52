/**
 * Card sources: cards, tokens that can be used once within 15 minutes, and stored instruments. A stored card keeps its
 * scenario instead of its number, so that the ledger file contains no card numbers.
 */
import { createHash, randomUUID } from 'node:crypto'
import { cardNumberForScenario, scenarioOfNumber, testCards } from '../../cards.ts'
import { isScenario } from '../../scenarios.ts'
import { type Account, findObject, type SimulatorState, saveObject } from '../../simulator-state.ts'
import { idOf } from './ids.ts'

type Members = { readonly [name: string]: unknown }
type Context = { readonly state: SimulatorState; readonly account: Account }

/** The card as Checkout.com shows it. */
export type Card = {
  readonly type: 'card'
  readonly expiry_month: number
  readonly expiry_year: number
  readonly name?: string
  readonly scheme: string
  readonly last4: string
  readonly fingerprint: string
  readonly bin: string
  readonly card_type: 'Credit'
  readonly card_category: 'Consumer'
}

type StoredCard = { readonly scenario: string; readonly card: Card }
type StoredToken = StoredCard & { readonly expiresAt: number; readonly isUsed: boolean }
type StoredInstrument = StoredCard & { readonly isDeleted: boolean }

/** `number` is a test card with the scenario of the card. `token` is marked as used after the payment. */
export type Source = {
  readonly number: string
  readonly card: Card
  readonly token: string | null
  readonly instrument: string | null
}

const tokenMs = 15 * 60_000

/** The source of a payment, or an error code. The members of `source` are valid. */
export function findSource(context: Context, source: Members): Source | string {
  if (source.type === 'card') {
    const number = source.number as string
    return { number, card: cardOf(context, source), token: null, instrument: null }
  }
  return source.type === 'token'
    ? findToken(context, source.token as string)
    : findInstrument(context, source.id as string)
}

function findToken(context: Context, token: string): Source | string {
  const known = wellKnown(context, token)
  const stored = storedToken(context, token)
  if (known === null && stored === undefined) return 'token_invalid'
  if (stored?.isUsed) return 'token_used'
  if (stored !== undefined && stored.expiresAt <= context.state.clock.now()) return 'token_expired'
  const { scenario, card } = known ?? (stored as StoredToken)
  return { number: numberWith(scenario), card, token, instrument: null }
}

function storedToken({ account }: Context, token: string): StoredToken | undefined {
  return findObject(account, `token/${token}`) as StoredToken | undefined
}

function findInstrument(context: Context, id: string): Source | string {
  const stored = wellKnown(context, id) ?? storedInstrument(context, id)
  if (stored === null) return 'source_id_unknown'
  return { number: numberWith(stored.scenario), card: stored.card, token: null, instrument: id }
}

export function instrumentCard(context: Context, id: string): Card | null {
  return storedInstrument(context, id)?.card ?? null
}

function storedInstrument({ account }: Context, id: string): StoredInstrument | null {
  const stored = findObject(account, `instrument/${id}`) as StoredInstrument | undefined
  return stored === undefined || stored.isDeleted ? null : stored
}

/** `tok_sim_5004`, `src_sim_approve`, `tok_sim_decline_51`: always exist. */
function wellKnown(context: Context, id: string): StoredCard | null {
  const [, name = ''] = /^(?:tok|src)_sim_(\w+)$/.exec(id) ?? []
  const scenario = name.replace(/^00/, 'decline:').replace('_', ':')
  if (name === '' || !isScenario(scenario)) return null
  return {
    scenario,
    card: cardOf(context, { number: numberWith(scenario), expiry_month: 12, expiry_year: 2040 }),
  }
}

export function createToken(context: Context, body: Members) {
  const { state, account } = context
  const token = idOf('tok', account, randomUUID())
  const card = cardOf(context, body)
  const expiresAt = state.clock.now() + tokenMs
  const stored: StoredToken = { scenario: scenarioOf(body.number as string), card, expiresAt, isUsed: false }
  saveObject(state, account, `token/${token}`, stored)
  return { token, card, expiresAt }
}

export function useToken(context: Context, token: string): void {
  const stored = storedToken(context, token)
  if (stored !== undefined)
    saveObject(context.state, context.account, `token/${token}`, { ...stored, isUsed: true })
}

export function storeInstrument({ state, account }: Context, id: string, { number, card }: Source): void {
  const stored: StoredInstrument = { scenario: scenarioOf(number), card, isDeleted: false }
  saveObject(state, account, `instrument/${id}`, stored)
}

/** False if there is no such instrument. */
export function deleteInstrument(context: Context, id: string): boolean {
  const stored = storedInstrument(context, id)
  if (stored === null) return false
  saveObject(context.state, context.account, `instrument/${id}`, { ...stored, isDeleted: true })
  return true
}

function scenarioOf(number: string): string {
  return scenarioOfNumber(number) ?? 'decline:14'
}

/** A test card with this scenario. */
function numberWith(scenario: string): string {
  const listed = testCards.find((card) => card.scenario === scenario)
  if (listed !== undefined) return listed.number
  const [, prefix, code] = /^(decline|advice):(\w\w)$/.exec(scenario) ?? []
  if (prefix !== 'advice') return cardNumberForScenario(prefix === undefined ? scenario : `00${code}`)
  const numbers = Array.from('0123456789', (digit) => `5200000000${code}000${digit}`)
  return numbers.find((number) => scenarioOfNumber(number) === scenario) ?? ''
}

function cardOf({ account }: Context, { number, name, ...expiry }: Members): Card {
  const digits = number as string
  return {
    type: 'card',
    expiry_month: expiry.expiry_month as number,
    expiry_year: expiry.expiry_year as number,
    ...(typeof name === 'string' ? { name } : {}),
    scheme: schemeOf(digits),
    last4: digits.slice(-4),
    fingerprint: createHash('sha256').update(`${account.name}/${digits}`).digest('hex').toUpperCase(),
    bin: digits.slice(0, 6),
    card_type: 'Credit',
    card_category: 'Consumer',
  }
}

function schemeOf(number: string): string {
  if (number.startsWith('4')) return 'Visa'
  return number.startsWith('3') ? 'American Express' : 'Mastercard'
}
