/**
 * The fees of an account, which the operator enters. They only serve to estimate costs: the provider bills its own
 * fees. No side effects.
 */
import { isCurrency } from '../../../kernel/currency.ts'
import type { Fault } from '../../../kernel/errors.ts'
import type { CostSegment } from '../../../providers/contract.ts'

export const maxCostSegments = 50
export const currencyText = 'must be a lowercase currency code, such as eur'

/** A segment in the format of the API: omitted members match any payment. */
export type CostInput = Partial<CostSegment> & Pick<CostSegment, 'basis_points'>

export function costsOf(input: readonly CostInput[]): readonly CostSegment[] {
  return input.map((segment) => ({
    currency: segment.currency ?? null,
    card_brands: segment.card_brands ?? null,
    card_countries: segment.card_countries ?? null,
    card_fundings: segment.card_fundings ?? null,
    basis_points: segment.basis_points,
    fixed_amount: segment.fixed_amount ?? 0,
  }))
}

/** Errors beyond the schema: unknown currencies, fixed amounts without a currency, segments that never apply. */
export function costFaults(costs: readonly CostSegment[]): readonly Fault[] {
  return costs.flatMap((segment, index): Fault[] => {
    const pointer = `/costs/${index}`
    if (segment.currency !== null && !isCurrency(segment.currency))
      return [{ pointer: `${pointer}/currency`, code: 'not_in_list', detail: currencyText }]
    if (segment.fixed_amount > 0 && segment.currency === null) {
      const detail = 'is required with fixed_amount: a fixed amount applies to payments in its currency only'
      return [{ pointer: `${pointer}/currency`, code: 'required', detail }]
    }
    const earlier = costs.slice(0, index).findIndex((other) => covers(other, segment))
    if (earlier === -1) return []
    const detail = `never applies, because /costs/${earlier} matches the same payments first: put the more specific entry first`
    return [{ pointer, code: 'not_together', detail }]
  })
}

const listMembers = ['card_brands', 'card_countries', 'card_fundings'] as const

/** Whether every payment that matches `segment` also matches `other`. */
function covers(other: CostSegment, segment: CostSegment): boolean {
  if (other.currency !== null && other.currency !== segment.currency) return false
  return listMembers.every((member) => includesAll(other[member], segment[member]))
}

function includesAll(all: readonly string[] | null, part: readonly string[] | null): boolean {
  return all === null || (part?.every((value) => all.includes(value)) ?? false)
}
