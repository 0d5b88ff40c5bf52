/**
 * Recovery codes, for signing in without the authenticator: 80 random bits each, in groups that are easy to
 * read.
 */
import { createHash, randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
export const recoveryCodeCount = 10

export function generateRecoveryCode(): string {
  // The alphabet has 32 characters, so each is equally likely and stands for five bits.
  const letters = [...randomBytes(16)].map((byte) => alphabet.charAt(byte % 32)).join('')
  return letters.replace(/(.{4})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4')
}

/** Ignores case, spaces and dashes. */
export function hashRecoveryCode(text: string): Buffer {
  const normalized = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return createHash('sha256').update(normalized).digest()
}
