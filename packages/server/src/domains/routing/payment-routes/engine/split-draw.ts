/**
 * Assigns a payment to an account of a split. The result depends only on salt and key, so every process selects
 * the same account. Because the salt persists across revisions, changing weights moves only the keys whose bucket
 * is between the old and the new bounds.
 */
import { hash } from 'node:crypto'
import type { Share, Split, SplitKey } from '../payment-route.ts'

/** The number of buckets that keys are hashed to. A weight of 1 percent is a hundredth of them. */
export const bucketCount = 10_000

/** The possible keys. A payment without a customer, or without a card fingerprint, uses its own id as the key. */
export type DrawKeys = {
  readonly payment: string
  readonly customer: string | null
  readonly card: string | null
}

export type Draw = {
  readonly key: SplitKey
  /** From 0 to 9,999. */
  readonly drawn: number
  readonly provider_account_id: string
}

export function bucketOf(salt: string, key: string): number {
  const digest = hash('sha256', `${salt}:${key}`, 'buffer')
  return Number(digest.readBigUInt64BE(0) % BigInt(bucketCount))
}

/** The drawn account first, the others by weight, then the fallback accounts. */
export function drawAccount(split: Split, keys: DrawKeys): { readonly order: readonly string[]; draw: Draw } {
  const key: SplitKey = keys[split.key] === null ? 'payment' : split.key
  const drawn = bucketOf(split.salt, keys[key] as string)
  const first = shareAt(split.targets, drawn)
  return {
    order: orderAfterDraw(split, first),
    draw: { key, drawn, provider_account_id: first.provider_account_id },
  }
}

/** The order in which accounts are tried after `first` was drawn. */
export function orderAfterDraw(split: Split, first: Share): readonly string[] {
  const others = split.targets
    .filter((share) => share !== first)
    .toSorted((a, b) => b.weight - a.weight)
    .map((share) => share.provider_account_id)
  return [...new Set([first.provider_account_id, ...others, ...split.fallback])]
}

function shareAt(shares: readonly Share[], drawn: number): Share {
  let upperBound = 0
  for (const share of shares) {
    upperBound += (share.weight * bucketCount) / 100
    if (drawn < upperBound) return share
  }
  return shares.at(-1) as Share
}
