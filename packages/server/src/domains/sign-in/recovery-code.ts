/** Codes for whoever has lost the authenticator: 80 random bits each, in groups that can be read from paper. */
import { createHash, randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
export const codesAtOnce = 10

export function drawRecoveryCode(): string {
  // 32 characters: five bits each, and no byte is more likely than another.
  const letters = [...randomBytes(16)].map((byte) => alphabet.charAt(byte % 32)).join('')
  return letters.replace(/(.{4})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4')
}

/** However it is typed: in capitals, with spaces, without dashes. */
export function hashRecoveryCode(text: string): Buffer {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '')
  return createHash('sha256').update(plain).digest()
}
