/** Everything that happens by itself, on one screen. */
import type { Work } from './deps.ts'
import { expireApiTokens } from './domains/api-tokens/work.ts'

export const works: readonly Work[] = [expireApiTokens as Work]
