/** Ids in the format of Checkout.com: a prefix and 26 characters. The same input always produces the same id. */
import { createHash } from 'node:crypto'
import type { Account } from '../../simulator-state.ts'

export type IdPrefix = 'pay' | 'act' | 'src' | 'tok' | 'sid' | 'cus' | 'evt'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

export function idOf(prefix: IdPrefix, { name }: Account, text: string): string {
  return `${prefix}_${charactersOf(alphabet, 26, `${name}/${prefix}/${text}`)}`
}

/** Digits for authorization codes and network references. */
export function digitsOf(length: number, text: string): string {
  return charactersOf('0123456789', length, text)
}

function charactersOf(characters: string, length: number, text: string): string {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from(bytes.subarray(0, length), (byte) => characters[byte % characters.length]).join('')
}
