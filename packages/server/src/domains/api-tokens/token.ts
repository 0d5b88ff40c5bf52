/**
 * The text of a token: `sk_test_` or the like, 32 random characters, and 6 that check the rest. The check
 * lets us refuse junk without asking the database, and lets scanners tell a real token from a lookalike.
 */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Mode } from '../../kernel/id.ts'

export type TokenKind = 'secret' | 'publishable'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^(sk|pk)_(live|test)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/
const short = { secret: 'sk', publishable: 'pk' } as const

export function drawToken(kind: TokenKind, mode: Mode): string {
  const head = `${short[kind]}_${mode}_${drawCharacters(32)}`
  return head + checkOf(head)
}

/** Whether the text can be one of our tokens at all. */
export function isWellFormed(text: string): boolean {
  const match = shape.exec(text)
  return match !== null && match[4] === checkOf(text.slice(0, -6))
}

/** What is stored: with 190 random bits behind it a plain hash cannot be searched. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Enough for a person to tell tokens apart, not enough to use. */
export function hintOf(text: string): string {
  return `${text.slice(0, 8)}…${text.slice(-4)}`
}

function drawCharacters(count: number): string {
  // Bytes from 248 up are thrown away, so that every character is equally likely.
  const characters: string[] = []
  while (characters.length < count) {
    for (const byte of randomBytes(count)) if (byte < 248) characters.push(alphabet.charAt(byte % 62))
  }
  return characters.slice(0, count).join('')
}

function checkOf(text: string): string {
  let rest = crc32(text)
  let check = ''
  for (let place = 0; place < 6; place += 1) {
    check = alphabet.charAt(rest % 62) + check
    rest = Math.floor(rest / 62)
  }
  return check
}
