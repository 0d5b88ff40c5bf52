/** Expresses account capabilities and route limits as conditions, so that one search handles all of them. */
import type { Capabilities } from '../../../../providers/contract.ts'
import type { Condition, Limits } from '../payment-route.ts'

const equals = (field: string, value: string | number): Condition => ({ field, op: 'eq', value })
const isIn = (field: string, value: readonly string[]): Condition => ({ field, op: 'in', value })
const noPayment: Condition = { any: [] }
const anyPayment: Condition = { all: [] }

/** A verification has amount 0, and every other payment has at least 1. */
export const possiblePayment: Condition = {
  any: [
    { all: [equals('purpose', 'verification'), equals('amount', 0)] },
    { all: [equals('purpose', 'payment'), { field: 'amount', op: 'gte', value: 1 }] },
  ],
}

/**
 * The payments the account can process with the card number, or with its own tokens if it accepts only tokens. Equivalent
 * to `ineligibleReasons`.
 */
export function supportedBy({ capabilities }: { readonly capabilities: Capabilities }): Condition {
  const { kinds, currencies, brands, countries, amount, manualCapture, offSession } = capabilities
  const purposes = [
    ...(kinds.includes('authorize') ? ['payment'] : []),
    ...(kinds.includes('verify') ? ['verification'] : []),
  ]
  return {
    all: [
      oneOf('purpose', purposes),
      oneOf('currency', currencies),
      oneOf('card.brand', brands),
      { any: [{ field: 'card.country', op: 'exists', value: false }, oneOf('card.country', countries)] },
      amount === null ? anyPayment : { any: [equals('amount', 0), between(amount)] },
      manualCapture ? anyPayment : equals('capture_method', 'automatic'),
      offSession ? anyPayment : equals('initiator', 'customer'),
    ],
  }
}

/** The payments within the limits of the route, which must have an account for each of them. */
export function withinLimits(limits: Limits): Condition {
  const { amount, brands, countries } = limits
  const noCountry: Condition = { field: 'card.country', op: 'exists', value: false }
  return {
    all: [
      isIn('currency', limits.currencies),
      oneOf('purpose', limits.purposes),
      oneOf('capture_method', limits.capture_methods),
      oneOf('initiator', limits.initiators),
      amount === null ? anyPayment : { any: [equals('amount', 0), between(amount)] },
      brands === null ? anyPayment : isIn('card.brand', brands),
      countries === null ? anyPayment : { any: [noCountry, isIn('card.country', countries)] },
    ],
  }
}

function oneOf(field: string, values: readonly string[] | 'all'): Condition {
  if (values === 'all') return anyPayment
  return values.length === 0 ? noPayment : isIn(field, values)
}

function between({ min, max }: { readonly min: number; readonly max: number }): Condition {
  return min > max ? noPayment : { field: 'amount', op: 'between', value: [min, max] }
}
