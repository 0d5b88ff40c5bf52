import { addSeconds } from '../../../../kernel/clock.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { tokenLifetimeSeconds } from '../card-token.ts'

/** The times of a new token. */
export function newTokenTimes({ now }: Tx) {
  return { expiresAt: addSeconds(now, tokenLifetimeSeconds), usedAt: null, createdAt: now }
}
