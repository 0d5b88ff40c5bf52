/**
 * Object ids. In the API `<kind>_<26 characters>`, or `<kind>_test_<26 characters>` in the test environment;
 * in the database the same 128 bits as `uuid`. The layout is UUIDv7: 48 bits of milliseconds, then 12 bits
 * for the slot of the workspace (reserved for sharding), and the rest is random.
 */
import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** Kinds of objects in a workspace: their ids carry its mode and its slot. */
export const kinds = [
  'workspace',
  'api_token',
  'test_clock',
  'customer',
  'token',
  'provider_account',
  'payment_route',
  'payment_route_revision',
  'route_simulation',
  'payment_method',
  'payment',
  'payment_attempt',
  'operation',
  'refund',
  'dispute',
  'file',
  'provider_event',
  'product',
  'price',
  'coupon',
  'promotion_code',
  'redemption',
  'discount',
  'subscription',
  'subscription_item',
  'subscription_change',
  'invoice',
  'invoice_line',
  'invoice_series',
  'credit_note',
  'credit_note_line',
  'credit_balance',
  'credit_entry',
  'ledger_posting',
  'export',
  'export_destination',
  'settlement_import',
  'settlement_line',
  'payout',
  'payout_entry',
  'tax_rate',
  'tax_rule',
  'meter',
  'usage_period',
  'usage_alert',
  'usage_alert_trigger',
  'dunning_policy',
  'dunning_campaign',
  'payment_link',
  'checkout_session',
  'checkout_try',
  'login_code',
  'portal_session',
  'cancellation_request',
  'mail',
  'event',
  'webhook_endpoint',
  'webhook_secret',
  'delivery',
  'webhook_recovery',
  'audit_entry',
  'request',
] as const
/** Kinds of the control plane: they have no mode and no slot. */
export const controlKinds = ['organization', 'person', 'session', 'passkey', 'invitation'] as const

export type Kind = (typeof kinds)[number] | (typeof controlKinds)[number]
export type Mode = 'live' | 'test'

declare const brand: unique symbol
/** An id as text. The wrong kind is a compile error in our code, and a 404 or 422 in a request. */
export type Id<K extends Kind> = string & { readonly [brand]: K }

/** The ids of an object and of its workspace. NATS messages contain nothing else. */
export type Ref<K extends Kind = Kind> = { readonly workspaceId: Id<'workspace'>; readonly id: Id<K> }

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const idPattern = /^([a-z]+(?:_[a-z]+)*?)_(test_)?([0-7][0-9A-HJKMNP-TV-Z]{25})$/i
/** The number of slots. Every workspace is in one slot, and slots are assigned to shards. */
export const slotCount = 4096

const characterCodes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0))
const characterValues = new Uint8Array(128)
for (const [value, character] of [...alphabet].entries()) {
  characterValues[character.charCodeAt(0)] = value
  characterValues[character.toLowerCase().charCodeAt(0)] = value
}

/** All ids of a kind share one string. */
const livePrefixes = prefixesOf((kind) => `${kind}_`)
const testPrefixes = prefixesOf((kind) =>
  (controlKinds as readonly string[]).includes(kind) ? `${kind}_` : `${kind}_test_`,
)

function prefixesOf(prefix: (kind: Kind) => string): Readonly<Record<Kind, string>> {
  const entries = [...kinds, ...controlKinds].map((kind) => [kind, prefix(kind)])
  return Object.fromEntries(entries) as Record<Kind, string>
}

const notADigit = 255
const digitValues = new Uint8Array(128).fill(notADigit)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
}
const idCodes = Array.from({ length: 26 }, () => 0)

/**
 * Each character of an id encodes five bits of the UUID, after two zero bits. The string is created in one call: V8 would keep
 * every part of a string that is concatenated from 13 parts, which is several times as much memory.
 */
export function idFromUuid<K extends Kind>(kind: K, mode: Mode, uuid: string): Id<K> {
  let bits = 0
  let bitCount = 2
  let length = 0
  for (let index = 0; index < uuid.length; index += 1) {
    const digit = digitValues[uuid.charCodeAt(index)] ?? notADigit
    if (digit === notADigit) continue
    bits = ((bits << 4) | digit) & 255
    bitCount += 4
    if (bitCount < 5) continue
    bitCount -= 5
    idCodes[length] = characterCodes[(bits >> bitCount) & 31] as number
    length += 1
  }
  return `${prefixOf(kind, mode)}${String.fromCharCode(...idCodes)}` as Id<K>
}

/** The UUID of an id of this kind and mode; null for any other text. */
export function uuidFromText(kind: Kind, mode: Mode, text: string): string | null {
  const prefix = prefixOf(kind, mode)
  if (!text.startsWith(prefix)) return null
  const match = idPattern.exec(text)
  const tail = text.slice(prefix.length)
  if (match === null || match[3] !== tail) return null
  return uuidOfCharacters(tail)
}

/** The UUID of an id that is already validated. */
export function uuidOf(id: Id<Kind>): string {
  return uuidOfCharacters(id.slice(-26))
}

export function uuidOrNull(id: Id<Kind> | null): string | null {
  return id === null ? null : uuidOf(id)
}

export function idOrNull<K extends Kind>(kind: K, mode: Mode, uuid: string | null): Id<K> | null {
  return uuid === null ? null : idFromUuid(kind, mode, uuid)
}

/** Parses an id of this kind and mode, or returns null. Case-insensitive. */
export function parseId<K extends Kind>(kind: K, mode: Mode, text: string): Id<K> | null {
  const uuid = uuidFromText(kind, mode, text)
  return uuid === null ? null : idFromUuid(kind, mode, uuid)
}

/** Kind and environment of a string that has the form of an id; null for any other string. */
export function describeId(text: string): { readonly kind: Kind; readonly mode: Mode } | null {
  const [, name, test] = idPattern.exec(text) ?? []
  const kind = [...kinds, ...controlKinds].find((candidate) => candidate === name)
  return kind === undefined ? null : { kind, mode: test === undefined ? 'live' : 'test' }
}

export function modeOf(id: Id<Kind>): Mode {
  return id.slice(0, -26).endsWith('_test_') ? 'test' : 'live'
}

/** The slot that the id carries: bits 52 to 63. */
export function slotOf(id: Id<Kind>): number {
  return Number.parseInt(uuidOf(id).slice(15, 18), 16)
}

/** Picks a random slot for a new workspace. */
export function randomSlot(): number {
  return randomInteger(2) % slotCount
}

/** When the id was created, in real time. Business time can differ under a test clock. */
export function timeOf(id: Id<Kind>): Date {
  return new Date(Number.parseInt(uuidOf(id).slice(0, 13).replace('-', ''), 16))
}

/** The smallest UUID of that millisecond, as a bound for time ranges. */
export function uuidFloor(at: Date): string {
  // Callers may filter by dates before 1970. No id is that old, and a negative number is not a UUID.
  const milliseconds = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return dashed(milliseconds.padEnd(32, '0'))
}

/**
 * Creates the ids of one unit of work. All carry its timestamp and each is greater than the one before, so
 * objects sort in creation order.
 */
export function idMaker(at: Date, slot: number): () => string {
  assert(slot >= 0 && slot < slotCount, 'A slot must be chosen with randomSlot or read with slotOf.')
  const head = `${at.getTime().toString(16).padStart(12, '0')}7${slot.toString(16).padStart(3, '0')}`
  // Two variant bits, then a random start with its top bit clear, which leaves room to increment within the
  // millisecond.
  let high = 0x80_0000 | (randomInteger(3) & 0x1f_ffff)
  let low = randomInteger(5)
  return () => {
    low += 1 + randomInteger(2)
    if (low >= 2 ** 40) {
      low -= 2 ** 40
      high += 1
    }
    return dashed(`${head}${high.toString(16)}${low.toString(16).padStart(10, '0')}`)
  }
}

function prefixOf(kind: Kind, mode: Mode): string {
  return (mode === 'test' ? testPrefixes : livePrefixes)[kind]
}

function uuidOfCharacters(characters: string): string {
  const value = (index: number) => characterValues[characters.charCodeAt(index)] as number
  let hex = (((value(0) << 5) | value(1)) + 0x100).toString(16).slice(1)
  for (let index = 2; index < 26; index += 4) {
    const bits = (value(index) << 15) | (value(index + 1) << 10) | (value(index + 2) << 5) | value(index + 3)
    hex += (bits + 0x10_0000).toString(16).slice(1)
  }
  return dashed(hex)
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const randomBytes = Buffer.allocUnsafe(4096)
let used = randomBytes.length

/** A random number of `bytes` bytes. Buffered, because each refill is a system call. */
function randomInteger(bytes: number): number {
  if (used + bytes > randomBytes.length) {
    randomFillSync(randomBytes)
    used = 0
  }
  used += bytes
  return randomBytes.readUIntBE(used - bytes, bytes)
}
