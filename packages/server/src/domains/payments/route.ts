/** Which account is asked next: the default route, by the order of the accounts. Pure. */
import type { Capabilities } from '../../providers/contract.ts'
import type { Trace } from './payment.ts'

/** At most so many accounts are tried for one payment. */
export const maxAttempts = 2

export type Candidate = {
  readonly id: string
  readonly cardData: 'pan' | 'token'
  readonly capabilities: Capabilities
  readonly isHeld: boolean
}

export type Wish = {
  readonly kind: 'authorize' | 'verify'
  readonly amount: bigint
  readonly currency: string
  readonly brand: string
  readonly country: string | null
  readonly manualCapture: boolean
  readonly merchantInitiated: boolean
  readonly hasNumber: boolean
  /** The account that a provider's own token belongs to. */
  readonly onlyAt: string | null
}

export type Choice = { readonly chosen: string | null; readonly trace: Trace }

/** The first in order that can take it and was not tried. The trace says why the others cannot. */
export function choose(candidates: readonly Candidate[], wish: Wish, tried: readonly string[]): Choice {
  const judged = candidates.map((candidate) => ({
    provider_account_id: candidate.id,
    reasons: [...(tried.includes(candidate.id) ? ['tried'] : []), ...reasonsAgainst(candidate, wish)],
  }))
  const chosen = judged.find(({ reasons }) => reasons.length === 0) ?? null
  const cause = tried.length === 0 ? 'first in the default order' : 'the account before could not take it'
  return { chosen: chosen?.provider_account_id ?? null, trace: { candidates: judged, cause } }
}

export function reasonsAgainst(candidate: Candidate, wish: Wish): string[] {
  const { capabilities, cardData, isHeld, id } = candidate
  const { amount, currency, brand, country, kind } = wish
  const limits = capabilities.amount
  const faults: readonly [boolean, string][] = [
    [isHeld, 'on hold'],
    [!capabilities.kinds.includes(kind), `cannot ${kind}`],
    [!covers(capabilities.currencies, currency), 'does not take the currency'],
    [!covers(capabilities.brands, brand), 'does not take the brand'],
    [country !== null && !covers(capabilities.countries, country), 'does not take the country'],
    [limits !== null && amount > 0n && amount < BigInt(limits.min), 'the amount is too small'],
    [limits !== null && amount > BigInt(limits.max), 'the amount is too large'],
    [wish.manualCapture && !capabilities.manualCapture, 'cannot capture later'],
    [wish.merchantInitiated && !capabilities.offSession, 'cannot charge without the payer'],
    [wish.onlyAt !== null && wish.onlyAt !== id, 'the card is held by another provider'],
    [wish.onlyAt === null && !wish.hasNumber, 'the card cannot be used here'],
    [wish.onlyAt === null && cardData === 'token', 'takes tokens only'],
  ]
  return faults.filter(([holds]) => holds).map(([, reason]) => reason)
}

function covers(list: readonly string[] | 'all', value: string): boolean {
  return list === 'all' || list.includes(value)
}
