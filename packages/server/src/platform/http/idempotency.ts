/**
 * Decides whether two requests are the same: the scope of an idempotency key, and the fingerprint of the
 * request.
 */
import { createHash } from 'node:crypto'
import { refuse } from '../../kernel/errors.ts'
import { canonical } from '../../kernel/json.ts'

const visible = /^[\x21-\x7e]{1,255}$/

/** The key from the header, with or without quotes; null if there is none. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = String(header)
  const key = text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
  return visible.test(key) ? key : refuse('invalid_idempotency_key')
}

/**
 * The scope contains the id of the token instead of its text, so rolling a token keeps its keys. It contains
 * the operation and its parameters instead of the URL, because a URL can be spelled in many ways, and ids are
 * case-insensitive.
 */
export function scopeOf(parts: {
  workspaceId: string
  holder: string
  operation: string
  params: unknown
  key: string
}): Buffer {
  const { workspaceId, holder, operation, params, key } = parts
  return hash([workspaceId, holder, operation, canonical(params).toUpperCase(), key])
}

export function fingerprintOf(parts: { query: unknown; body: unknown; version: string }): Buffer {
  return hash([canonical(parts.query), canonical(parts.body), parts.version])
}

function hash(parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}
