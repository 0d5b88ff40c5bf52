/**
 * The test cards that every provider approves. No network hears of them, and load is tested with them: thousands
 * at once with one number, which no real card ever sees. So they have no budget, and no lock.
 */
import type { Mode } from '../../kernel/id.ts'

const ends = new Set(['424242 4242', '555555 4444', '378282 0005'])

export function isPlayCard(
  mode: Mode,
  { bin, last4 }: { readonly bin: string | null; readonly last4: string },
): boolean {
  return mode === 'test' && ends.has(`${bin} ${last4}`)
}
