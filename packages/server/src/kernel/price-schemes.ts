/**
 * What a quantity costs: with one price for all units, with tiers, or in packages, within a minimum and a maximum.
 * Amounts are exact until they are rounded once, half away from zero, after everything has been added up. Prices,
 * subscription items, carts and invoice lines share these types and have copies of the terms, which never change.
 */
import { assert } from './assert.ts'
import type { Fault } from './errors.ts'
import { withinLimits } from './invoice-arithmetic.ts'
import { mulDiv } from './money.ts'

export const schemes = ['per_unit', 'graduated', 'volume', 'package'] as const
export type Scheme = (typeof schemes)[number]

export const maxTiers = 100

/** Uses the member names of the API. */
export type Tier = {
  /** The last unit of the tier. Null: no end. */
  readonly up_to: number | null
  /** Minor units, with up to 12 decimals. */
  readonly unit_amount_decimal: string
  /** Added once if the tier is used. */
  readonly flat_amount: number
}

export type Package = { readonly size: number; readonly round: 'up' | 'down' }

/** Everything but the unit amount. Uses the member names of the API. */
export type Pricing = {
  readonly scheme: Scheme
  /** With `graduated` and `volume`. The last tier has no end. */
  readonly tiers: readonly Tier[] | null
  readonly package: Package | null
  readonly minimum_amount: number | null
  readonly maximum_amount: number | null
}

export type PriceFactors = {
  /** The price of a unit or a package in minor units, with up to 12 decimals. Null with tiers. */
  readonly unitAmountDecimal: string | null
  /** Omitted if the amount is the unit amount times the quantity. */
  readonly pricing?: Pricing
}

export const perUnit: Pricing = {
  scheme: 'per_unit',
  tiers: null,
  package: null,
  minimum_amount: null,
  maximum_amount: null,
}

/** Omits members that have no effect, so that simple prices are stored as before. */
export function withPricing(pricing: Pricing): Pick<PriceFactors, 'pricing'> {
  const { scheme, minimum_amount: minimum, maximum_amount: maximum } = pricing
  return scheme === 'per_unit' && minimum === null && maximum === null ? {} : { pricing }
}

/** Only the members that the amount depends on. */
export function factorsOf({ unitAmountDecimal, pricing }: PriceFactors): PriceFactors {
  return pricing === undefined ? { unitAmountDecimal } : { unitAmountDecimal, pricing }
}

const decimals = 12
export const amountScale = 10n ** BigInt(decimals)

/** What the quantity costs for a full period, rounded once. */
export function amountFor(factors: PriceFactors, quantity: number): bigint {
  return mulDiv(scaledAmountFor(factors, quantity), 1n, amountScale)
}

/** The exact amount, multiplied by `amountScale`. Limits are whole, so rounding keeps the amount within them. */
export function scaledAmountFor(factors: PriceFactors, quantity: number): bigint {
  const { minimum_amount: minimum, maximum_amount: maximum } = factors.pricing ?? perUnit
  const scaledLimit = (limit: number | null) => (limit === null ? null : BigInt(limit) * amountScale)
  return withinLimits(unlimitedAmount(factors, quantity), {
    minimum: scaledLimit(minimum),
    maximum: scaledLimit(maximum),
  })
}

function unlimitedAmount(
  { unitAmountDecimal: unit, pricing = perUnit }: PriceFactors,
  quantity: number,
): bigint {
  const used = usedTiers(pricing, quantity)
  if (used !== null)
    return used.reduce(
      (sum, tier) =>
        sum +
        scaled(tier.unit_amount_decimal) * BigInt(tier.quantity) +
        BigInt(tier.flat_amount) * amountScale,
      0n,
    )
  assert(unit !== null, 'A price without tiers has a unit amount: a constraint of the database requires it.')
  return scaled(unit) * BigInt(usedPackages(pricing, quantity) ?? quantity)
}

export type UsedTier = Tier & { readonly quantity: number }

/**
 * The tiers that the quantity reaches, with the number of units in each; null without tiers. The first tier is always
 * used, so its flat amount is a base fee.
 */
export function usedTiers({ scheme, tiers }: Pricing, quantity: number): readonly UsedTier[] | null {
  if (tiers === null) return null
  const startOf = (index: number) => tiers[index - 1]?.up_to ?? 0
  const reached = tiers.filter((_, index) => index === 0 || quantity > startOf(index))
  if (scheme === 'volume') return reached.slice(-1).map((tier) => ({ ...tier, quantity }))
  return reached.map((tier, index) => ({
    ...tier,
    quantity: Math.min(quantity, tier.up_to ?? quantity) - startOf(index),
  }))
}

/** The number of packages to pay for; null unless the price is for packages. */
export function usedPackages({ package: terms }: Pricing, quantity: number): number | null {
  if (terms === null) return null
  const whole = Math.floor(quantity / terms.size)
  return terms.round === 'up' && whole * terms.size < quantity ? whole + 1 : whole
}

const decimalAmount = /^(-?)([0-9]+)(?:\.([0-9]{1,12}))?$/

function scaled(decimal: string): bigint {
  const match = decimalAmount.exec(decimal)
  assert(match !== null, 'An amount must be a decimal with at most 12 places: the schema requires it.')
  const [, sign, whole = '', fraction = ''] = match
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign === '-' ? -amount : amount
}

/** Members of a request. */
type PricingInput = Partial<Pricing> & { readonly hasUnitAmount: boolean }

/** Validates the terms of a new price. */
export function faultsOfPricing(input: PricingInput): Fault[] {
  const { scheme = 'per_unit', minimum_amount: minimum = null, maximum_amount: maximum = null } = input
  const hasTiers = scheme === 'graduated' || scheme === 'volume'
  const faults = [
    ...faultsOfMember('/tiers', (input.tiers ?? null) !== null, hasTiers, scheme),
    ...faultsOfMember('/package', (input.package ?? null) !== null, scheme === 'package', scheme),
    ...(hasTiers ? faultsOfTiers(input.tiers ?? []) : []),
  ]
  if (hasTiers && input.hasUnitAmount)
    faults.push({ pointer: '/unit_amount', code: 'not_together', detail: `must be omitted for ${scheme}` })
  if (minimum !== null && maximum !== null && maximum < minimum)
    faults.push({ pointer: '/maximum_amount', code: 'too_small', detail: 'must not be below minimum_amount' })
  return faults
}

function faultsOfMember(pointer: string, isSent: boolean, isNeeded: boolean, scheme: Scheme): Fault[] {
  if (isSent === isNeeded) return []
  return isNeeded
    ? [{ pointer, code: 'required', detail: `is required for ${scheme}` }]
    : [{ pointer, code: 'not_together', detail: `must be omitted for ${scheme}` }]
}

function faultsOfTiers(tiers: readonly Tier[]): Fault[] {
  return tiers.flatMap(({ up_to: end }, index): Fault[] => {
    const pointer = `/tiers/${index}/up_to`
    const isLast = index === tiers.length - 1
    if (isLast)
      return end === null
        ? []
        : [{ pointer, code: 'bad_format', detail: 'must be null: the last tier has no end' }]
    if (end === null) return [{ pointer, code: 'required', detail: 'is required except for the last tier' }]
    const previous = tiers[index - 1]?.up_to ?? 0
    if (end > previous) return []
    return [{ pointer, code: 'too_small', detail: `must be greater than ${previous}` }]
  })
}
