/** Identifies callers by their tokens, and caches the results for a few seconds. */
import { createHash } from 'node:crypto'
import type { Deps } from './deps.ts'
import { recognizeToken, recordTokenUse } from './domains/access/api-tokens/service.ts'
import { isWellFormed } from './domains/access/api-tokens/token.ts'
import { hasFormatOfSessionToken } from './domains/access/sessions/service.ts'
import { isSessionToken, recognizeSessionToken } from './domains/access/sign-in/service/current-session.ts'
import type { Identity } from './kernel/caller.ts'
import { keysIn } from './kernel/cells.ts'
import { refuse } from './kernel/errors.ts'
import type { Id } from './kernel/id.ts'
import { networksOf } from './kernel/network.ts'
import { createCache } from './platform/cache.ts'
import { createFairQueue } from './platform/fair-queue.ts'
import type { Log } from './platform/log.ts'

/**
 * Strings that look like tokens are easy to invent, and each costs a query. So tokens that this process has not
 * recognized within the last hour are looked up a few at a time, and networks take turns: a flood from one
 * network delays only unknown tokens of that network.
 */
const lookUpLimits = { maxRunning: 4, maxWaiting: 1_000 }

export function createIdentify(deps: Deps, log: Log, cacheMs: number) {
  const keep = ({ status }: Identity) => status === 'known' || status === 'elsewhere'
  const identities = createCache<Identity>({ ttlMs: cacheMs, maxEntries: 10_000, keep })
  const recentTokens = createCache<true>({ ttlMs: 3_600_000, maxEntries: 10_000 })
  const recordedUses = createCache<void>({ ttlMs: 60_000, maxEntries: 10_000 })
  const lookUps = createFairQueue(lookUpLimits)
  const rejectAsOverloaded = () => refuse('overloaded', { retryAfterSeconds: 1 })

  const recordUse = (workspaceId: Id<'workspace'>, id: Id<'api_token'>) => {
    recordedUses
      .get(id, () => recordTokenUse(deps, { workspaceId, id }))
      .catch((error) => log.warn('could not store the last use of a token', { error }))
  }

  return async (text: string, address: string): Promise<Identity> => {
    // Invalid strings must not evict tokens that are in use from the cache.
    if (!hasFormatOfToken(text)) return { status: 'unknown' }
    const isSigned = isSessionToken(deps, text)
    // Cached by its hash, so that a memory dump contains no tokens from the cache.
    const key = createHash('sha256').update(text).digest('base64')
    const recognize = hasFormatOfSessionToken(text) ? recognizeSessionToken : recognizeToken
    const find = () => identities.get(key, async () => orElsewhere(deps, text, await recognize(deps, text)))
    const isRecent = isSigned || identities.peek(key) !== null || recentTokens.peek(key) !== null
    const identity = isRecent
      ? await find()
      : await lookUps.run({ groups: networksOf(address).toReversed() }, find, rejectAsOverloaded)
    if (identity.status !== 'known') return identity
    void recentTokens.get(key, async () => true)
    const { workspaceId, tokenId } = identity
    // Sessions record their last use separately.
    if (tokenId !== null) recordUse(workspaceId, tokenId)
    return identity
  }
}

const hasFormatOfToken = (text: string) => isWellFormed(text) || hasFormatOfSessionToken(text)

/** A token of another cell is unknown here. Its signature cannot be verified either. */
async function orElsewhere({ cells }: Deps, text: string, identity: Identity): Promise<Identity> {
  const cell = identity.status === 'unknown' ? await cells.find(keysIn(text)) : null
  return cell === null ? identity : { status: 'elsewhere', cell }
}
