/**
 * The secret of a token: a prefix such as `sk_test_`, 32 random characters, and a checksum of 6 characters.
 * With the checksum, invalid secrets are rejected without a query, and secret scanners recognize real tokens.
 */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from '../../../kernel/id.ts'

export type TokenKind = 'secret' | 'publishable'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const tokenPattern = /^(sk|pk)_(live|test)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/
const prefixes = { secret: 'sk', publishable: 'pk' } as const

export function generateToken(kind: TokenKind, mode: Mode): string {
  const head = `${prefixes[kind]}_${mode}_${randomCharacters(32)}`
  return head + checksumOf(head)
}

/** Whether the text has the format and the checksum of a token. */
export function isWellFormed(text: string): boolean {
  const match = tokenPattern.exec(text)
  return match !== null && match[4] === checksumOf(text.slice(0, -6))
}

/** The stored hash of a token. With 190 random bits no salt or slow hash is needed. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Enough for a person to recognize the token, not enough to use it. */
export function hintOf(text: string): string {
  return `${text.slice(0, 8)}…${text.slice(-4)}`
}

function randomCharacters(count: number): string {
  // Bytes of 248 and above are discarded, so that every character is equally likely.
  const characters: string[] = []
  while (characters.length < count) {
    for (const byte of randomBytes(count)) if (byte < 248) characters.push(alphabet.charAt(byte % 62))
  }
  return characters.slice(0, count).join('')
}

function checksumOf(text: string): string {
  let remainder = crc32(text)
  let checksum = ''
  for (let digit = 0; digit < 6; digit += 1) {
    checksum = alphabet.charAt(remainder % 62) + checksum
    remainder = Math.floor(remainder / 62)
  }
  return checksum
}
