/** What accounts can take and what a route promises, in the words of conditions: so one search serves all. */
import type { Capabilities } from '../../providers/contract.ts'
import type { Condition, Limits } from './payment-route.ts'

const is = (field: string, value: string | number): Condition => ({ field, op: 'eq', value })
const among = (field: string, value: readonly string[]): Condition => ({ field, op: 'in', value })
const never: Condition = { any: [] }
const always: Condition = { all: [] }

/** No payment is for nothing but a verification, and each verification is. */
export const possible: Condition = {
  any: [
    { all: [is('purpose', 'verification'), is('amount', 0)] },
    { all: [is('purpose', 'payment'), { field: 'amount', op: 'gte', value: 1 }] },
  ],
}

type Taker = { readonly cardData: 'pan' | 'token'; readonly capabilities: Capabilities }

/** The payments that the account can take by the number of the card. It says what `reasonsAgainst` says. */
export function takenBy({ cardData, capabilities }: Taker): Condition {
  const { kinds, currencies, brands, countries, amount, manualCapture, offSession } = capabilities
  if (cardData === 'token') return never
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
      amount === null ? always : { any: [is('amount', 0), between(amount)] },
      manualCapture ? always : is('capture_method', 'automatic'),
      offSession ? always : is('initiator', 'customer'),
    ],
  }
}

/** The payments that the route promises to find an account for. */
export function promisedBy(limits: Limits): Condition {
  const { amount, brands, countries } = limits
  const noCountry: Condition = { field: 'card.country', op: 'exists', value: false }
  return {
    all: [
      among('currency', limits.currencies),
      oneOf('purpose', limits.purposes),
      oneOf('capture_method', limits.capture_methods),
      oneOf('initiator', limits.initiators),
      amount === null ? always : { any: [is('amount', 0), between(amount)] },
      brands === null ? always : among('card.brand', brands),
      countries === null ? always : { any: [noCountry, among('card.country', countries)] },
    ],
  }
}

function oneOf(field: string, words: readonly string[] | 'all'): Condition {
  if (words === 'all') return always
  return words.length === 0 ? never : among(field, words)
}

function between({ min, max }: { readonly min: number; readonly max: number }): Condition {
  return min > max ? never : { field: 'amount', op: 'between', value: [min, max] }
}
