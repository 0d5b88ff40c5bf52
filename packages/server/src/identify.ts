/** Recognizes the tokens of callers, and remembers for a moment what it found. */
import { createHash } from 'node:crypto'
import type { Deps } from './deps.ts'
import { noteUse, recognizeToken } from './domains/api-tokens/service.ts'
import { isWellFormed } from './domains/api-tokens/token.ts'
import { isSessionToken, recognizeSessionToken } from './domains/sign-in/service/visits.ts'
import type { Identity } from './kernel/caller.ts'
import { createCache } from './platform/cache.ts'
import type { Log } from './platform/log.ts'

export function createIdentify(deps: Deps, log: Log, memoryMs: number) {
  const keep = ({ is }: Identity) => is === 'known'
  const known = createCache<Identity>({ ttlMs: memoryMs, maxEntries: 10_000, keep })
  const familiar = createCache<true>({ ttlMs: 3_600_000, maxEntries: 10_000 })
  const noted = createCache<void>({ ttlMs: 60_000, maxEntries: 10_000 })

  return async (text: string, mayLookUp: boolean): Promise<Identity> => {
    const recognize = recognizerOf(deps, text)
    // Junk must not push tokens that are in use out of memory.
    if (recognize === null) return { is: 'unknown' }
    // Remembered by its hash: a copy of our memory should hold no tokens.
    const key = createHash('sha256').update(text).digest('base64')
    const remembered = known.peek(key)
    // A bad neighbour behind the same address must not lock out those who have called before.
    if (remembered === null && !mayLookUp && familiar.peek(key) === null) return { is: 'unknown' }
    const identity = await (remembered ?? known.get(key, () => recognize(deps, text)))
    if (identity.is !== 'known') return identity
    void familiar.get(key, async () => true)
    const { workspaceId, tokenId } = identity
    // A session notes by itself when its person was there.
    if (tokenId !== null) {
      const note = () => noteUse(deps, { workspaceId, id: tokenId })
      noted.get(tokenId, note).catch((error) => log.warn('could not note the use of a token', { error }))
    }
    return identity
  }
}

/** Who knows texts of this form; null if it is none of ours. */
function recognizerOf(deps: Deps, text: string): typeof recognizeToken | null {
  if (isWellFormed(text)) return recognizeToken
  return isSessionToken(deps, text) ? recognizeSessionToken : null
}
