/** What makes two requests the same: the scope of a key, and the fingerprint of what was asked with it. */
import { createHash } from 'node:crypto'
import { refuse } from '../../kernel/errors.ts'

const visible = /^[\x21-\x7e]{1,255}$/

/** The key of the header, in quotes or not; null if none was sent. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = String(header)
  const key = text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
  return visible.test(key) ? key : refuse('invalid_idempotency_key')
}

/** By token object, not by its text: rolling a token keeps its keys. */
export function scopeOf(parts: {
  workspaceId: string
  tokenId: string
  method: string
  path: string
  key: string
}): Buffer {
  const { workspaceId, tokenId, method, path, key } = parts
  return hash([workspaceId, tokenId, method, path.replace(/(?<=.)\/$/, ''), key])
}

export function fingerprintOf(parts: { query: unknown; body: unknown; version: string }): Buffer {
  return hash([canonical(parts.query), canonical(parts.body), parts.version])
}

function hash(parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/** JSON with its members in order, so that a client may serialize the same body differently. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isPlainObject(member) ? sorted(member) : member)) ?? ''
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
