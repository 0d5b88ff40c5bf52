/**
 * Names of objects. On the wire `<kind>_<26 characters>`, in the test environment `<kind>_test_<26
 * characters>`; in the database the same 128 bits as `uuid`. The layout is that of UUIDv7: 48 bits of
 * milliseconds, then 12 bits for the slot of the workspace (tomorrow's shard number), the rest random.
 */
import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** Kinds inside a workspace: their ids carry its mode and its slot. */
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
  'provider_event',
  'product',
  'price',
  'subscription',
  'subscription_item',
  'subscription_change',
  'invoice',
  'invoice_line',
  'invoice_series',
  'credit_balance',
  'credit_entry',
  'dunning_policy',
  'dunning_campaign',
  'payment_link',
  'checkout_session',
  'checkout_try',
  'event',
  'webhook_endpoint',
  'webhook_secret',
  'delivery',
  'webhook_recovery',
  'audit_entry',
  'request',
] as const
/** Kinds of the control plane: they belong to both modes and to no slot. */
export const controlKinds = ['organization', 'person', 'session', 'passkey', 'invitation'] as const

export type Kind = (typeof kinds)[number] | (typeof controlKinds)[number]
export type Mode = 'live' | 'test'

declare const brand: unique symbol
/** The text of the wire. A wrong kind does not compile inside, and is 404 or 422 outside. */
export type Id<K extends Kind> = string & { readonly [brand]: K }

/** An object and the workspace that owns it: all that a message needs to carry. */
export type Ref<K extends Kind = Kind> = { readonly workspaceId: Id<'workspace'>; readonly id: Id<K> }

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const shape = /^([a-z]+(?:_[a-z]+)*?)_(test_)?([0-7][0-9A-HJKMNP-TV-Z]{25})$/i
const slots = 4096

const pairs = Array.from(
  { length: 1024 },
  (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31),
)
const values = new Uint8Array(128)
for (const [value, character] of [...alphabet].entries()) {
  values[character.charCodeAt(0)] = value
  values[character.toLowerCase().charCodeAt(0)] = value
}

/** Five digits of a uuid and four characters of an id are the same twenty bits; before them stand eight and two. */
export function idFromUuid<K extends Kind>(kind: K, mode: Mode, uuid: string): Id<K> {
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
  let text = pairs[Number.parseInt(hex.slice(0, 2), 16)] as string
  for (let place = 2; place < 32; place += 5) {
    const bits = Number.parseInt(hex.slice(place, place + 5), 16)
    text += (pairs[bits >> 10] as string) + (pairs[bits & 1023] as string)
  }
  return `${prefixOf(kind, mode)}${text}` as Id<K>
}

/** The uuid of a text that names an object of this kind and mode; null for any other text. */
export function uuidFromText(kind: Kind, mode: Mode, text: string): string | null {
  const prefix = prefixOf(kind, mode)
  if (!text.startsWith(prefix)) return null
  const match = shape.exec(text)
  const tail = text.slice(prefix.length)
  if (match === null || match[3] !== tail) return null
  return uuidOfCharacters(tail)
}

/** The uuid of an id that is known to be one. */
export function uuidOf(id: Id<Kind>): string {
  return uuidOfCharacters(id.slice(-26))
}

export function uuidOrNull(id: Id<Kind> | null): string | null {
  return id === null ? null : uuidOf(id)
}

export function idOrNull<K extends Kind>(kind: K, mode: Mode, uuid: string | null): Id<K> | null {
  return uuid === null ? null : idFromUuid(kind, mode, uuid)
}

/** Recognizes the text as an id of that kind and mode, or gives null. Case does not matter on the way in. */
export function parseId<K extends Kind>(kind: K, mode: Mode, text: string): Id<K> | null {
  const uuid = uuidFromText(kind, mode, text)
  return uuid === null ? null : idFromUuid(kind, mode, uuid)
}

export function modeOf(id: Id<Kind>): Mode {
  return id.slice(0, -26).endsWith('_test_') ? 'test' : 'live'
}

/** The slot that the id carries: bits 52 to 63. */
export function slotOf(id: Id<Kind>): number {
  return Number.parseInt(uuidOf(id).slice(15, 18), 16)
}

/** Draws a slot for a new workspace. */
export function drawSlot(): number {
  return draw(2) % slots
}

/** When the id was made, by the wall: business time may be another, under a clock that is turned by hand. */
export function timeOf(id: Id<Kind>): Date {
  return new Date(Number.parseInt(uuidOf(id).slice(0, 13).replace('-', ''), 16))
}

/** The smallest uuid of that millisecond: a bound for ranges of time. */
export function uuidFloor(at: Date): string {
  // A caller may ask for what came after 1900. No id is older than 1970, and a negative number is no uuid.
  const milliseconds = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return dashed(milliseconds.padEnd(32, '0'))
}

/**
 * Makes the ids of one unit of work. They carry its instant and rise one after another, so what a unit
 * makes later sorts later.
 */
export function idMaker(at: Date, slot: number): () => string {
  assert(slot >= 0 && slot < slots, 'A slot is drawn with drawSlot or read with slotOf.')
  const head = `${at.getTime().toString(16).padStart(12, '0')}7${slot.toString(16).padStart(3, '0')}`
  // Two bits of variant, then a start with its top bit clear: room to rise within the millisecond.
  let high = 0x80_0000 | (draw(3) & 0x1f_ffff)
  let low = draw(5)
  return () => {
    low += 1 + draw(2)
    if (low >= 2 ** 40) {
      low -= 2 ** 40
      high += 1
    }
    return dashed(`${head}${high.toString(16)}${low.toString(16).padStart(10, '0')}`)
  }
}

function prefixOf(kind: Kind, mode: Mode): string {
  const isControl = (controlKinds as readonly string[]).includes(kind)
  return mode === 'test' && !isControl ? `${kind}_test_` : `${kind}_`
}

function uuidOfCharacters(characters: string): string {
  const value = (place: number) => values[characters.charCodeAt(place)] as number
  let hex = (((value(0) << 5) | value(1)) + 0x100).toString(16).slice(1)
  for (let place = 2; place < 26; place += 4) {
    const bits = (value(place) << 15) | (value(place + 1) << 10) | (value(place + 2) << 5) | value(place + 3)
    hex += (bits + 0x10_0000).toString(16).slice(1)
  }
  return dashed(hex)
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const randomness = Buffer.allocUnsafe(4096)
let used = randomness.length

/** A random number of so many bytes. Drawn in larger portions: each draw asks the kernel. */
function draw(bytes: number): number {
  if (used + bytes > randomness.length) {
    randomFillSync(randomness)
    used = 0
  }
  used += bytes
  return randomness.readUIntBE(used - bytes, bytes)
}
