/** Cards in an external vault. Switchyard has a token from the vault, but no card number. */
import type { CardVault, VaultCard } from '../../../vaults/contract.ts'
import { type Brand, brands, type DisplayCard, type Funding } from './card-token.ts'

/** The card details that the caller sends, for a vault that has no API for them. */
export type SentCard = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly bin?: string | null
}

/**
 * The vault is part of the fingerprint: cards in different vaults cannot be compared, and the fingerprint of a payment
 * shows where its card is.
 */
export function vaultFingerprint(vault: CardVault, hash: string): string {
  return `${vault.id}:${hash}`
}

/** Whether the card with this fingerprint is in an external vault. */
export function isInExternalVault(fingerprint: string | null): boolean {
  return fingerprint?.includes(':') ?? false
}

export function cardFromVault(card: VaultCard): DisplayCard {
  return {
    brand: brandOf(card.brand),
    last4: card.last4,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    funding: card.funding as Funding | null,
    country: card.country,
    issuer: card.issuer,
    bin: card.bin,
  }
}

export function cardFromCaller({ brand, last4, exp_month, exp_year, bin = null }: SentCard): DisplayCard {
  return {
    brand: brandOf(brand),
    last4,
    exp_month,
    exp_year,
    funding: null,
    country: null,
    issuer: null,
    bin,
  }
}

function brandOf(text: string | null): Brand {
  return brands.find((brand) => brand === text) ?? 'unknown'
}

/** A card is valid through the end of its expiry month. */
export function isExpired({ exp_month: month, exp_year: year }: DisplayCard, now: Date): boolean {
  return Date.UTC(year, month) <= now.getTime()
}
