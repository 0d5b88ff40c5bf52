/**
 * The draw of a split. It depends on the salt and the key alone: any process draws the same, and because the salt
 * outlives revisions, changing a weight moves only the difference.
 */
import { hash } from 'node:crypto'
import type { Share, Split, SplitKey } from './payment-route.ts'

/** Draws are of so many; a weight is one of a hundred. */
export const drawsOf = 10_000

/** What can be drawn by. A payment without a customer, or a card without a fingerprint, is drawn by itself. */
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
  return Number(digest.readBigUInt64BE(0) % BigInt(drawsOf))
}

/** The drawn one first, the others by weight, then those that are only for when these fail. */
export function drawFrom(split: Split, keys: DrawKeys): { readonly order: readonly string[]; draw: Draw } {
  const key: SplitKey = keys[split.key] === null ? 'payment' : split.key
  const drawn = bucketOf(split.salt, keys[key] as string)
  const first = shareAt(split.targets, drawn)
  return {
    order: orderFrom(split, first),
    draw: { key, drawn, provider_account_id: first.provider_account_id },
  }
}

/** The accounts as they are asked if that one is drawn. */
export function orderFrom(split: Split, first: Share): readonly string[] {
  const others = split.targets
    .filter((share) => share !== first)
    .toSorted((a, b) => b.weight - a.weight)
    .map((share) => share.provider_account_id)
  return [...new Set([first.provider_account_id, ...others, ...split.fallback])]
}

function shareAt(shares: readonly Share[], drawn: number): Share {
  let below = 0
  for (const share of shares) {
    below += (share.weight * drawsOf) / 100
    if (drawn < below) return share
  }
  return shares.at(-1) as Share
}
