/**
 * Names of objects. On the wire `<kind>_<26 characters>`, in the test environment `<kind>_test_<26
 * characters>`; in the database the same 128 bits as `uuid`. The layout is that of UUIDv7: 48 bits of
 * milliseconds, then 12 bits for the slot of the workspace (tomorrow's shard number), the rest random.
 */
import { randomBytes } from 'node:crypto'
import { assert } from './assert.ts'

/** Kinds inside a workspace: their ids carry its mode and its slot. */
export const kinds = ['workspace', 'api_token', 'customer', 'event', 'audit_entry', 'request'] as const
/** Kinds of the control plane: they belong to both modes and to no slot. */
export const controlKinds = ['organization', 'person'] as const

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

export function idFromUuid<K extends Kind>(kind: K, mode: Mode, uuid: string): Id<K> {
  let bits = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  for (let place = 0; place < 26; place += 1) {
    text = alphabet[Number(bits & 31n)] + text
    bits >>= 5n
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
  return randomBytes(2).readUInt16BE() % slots
}

/** The smallest uuid of that millisecond: a bound for ranges of time. */
export function uuidFloor(at: Date): string {
  // A caller may ask for what came after 1900. No id is older than 1970, and a negative number is no uuid.
  return toUuid(BigInt(Math.max(0, at.getTime())) << 80n)
}

/**
 * Makes the ids of one unit of work. They carry its instant and rise one after another, so what a unit
 * makes later sorts later.
 */
export function idMaker(at: Date, slot: number): () => string {
  assert(slot >= 0 && slot < slots, 'A slot is drawn with drawSlot or read with slotOf.')
  const random = randomBytes(8)
  const head = (BigInt(at.getTime()) << 80n) | (7n << 76n) | (BigInt(slot) << 64n)
  // Two bits of variant, then a start with its top bit clear: room to rise within the millisecond.
  let tail = random.readBigUInt64BE() & 0x1fff_ffff_ffff_ffffn
  return () => {
    tail += 1n + BigInt(randomBytes(2).readUInt16BE())
    return toUuid(head | (2n << 62n) | tail)
  }
}

function prefixOf(kind: Kind, mode: Mode): string {
  const isControl = (controlKinds as readonly string[]).includes(kind)
  return mode === 'test' && !isControl ? `${kind}_test_` : `${kind}_`
}

function uuidOfCharacters(characters: string): string {
  let bits = 0n
  for (const character of characters.toUpperCase()) bits = (bits << 5n) | BigInt(alphabet.indexOf(character))
  return toUuid(bits)
}

function toUuid(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
