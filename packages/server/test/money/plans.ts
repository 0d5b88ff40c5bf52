// What a route of a story says, as data that the judge can read without the code that it judges.

/** Places of accounts, in the order in which they are asked. */
type Plan = {
  readonly name: PlanName
  /** For a payment of that amount; a split has several, one of which is drawn. Null: it is declined. */
  readonly orders: (amount: number) => readonly (readonly number[])[] | null
  readonly definition: (accounts: readonly string[]) => object
}

export const planNames = ['order', 'reversed', 'first_only', 'split', 'declines_large'] as const
export type PlanName = (typeof planNames)[number]

export const largeAmount = 1_000

const to = (accounts: readonly string[], ...places: number[]) => ({
  type: 'priority',
  targets: places.map((place) => accounts[place]),
})

export const plans: { readonly [Name in PlanName]: Plan } = {
  order: {
    name: 'order',
    orders: () => [[0, 1]],
    definition: (accounts) => ({ rules: [], default: to(accounts, 0, 1) }),
  },
  reversed: {
    name: 'reversed',
    orders: () => [[1, 0]],
    definition: (accounts) => ({ rules: [], default: to(accounts, 1, 0) }),
  },
  first_only: {
    name: 'first_only',
    orders: () => [[0]],
    definition: (accounts) => ({ rules: [], default: to(accounts, 0) }),
  },
  split: {
    name: 'split',
    orders: () => [
      [0, 1],
      [1, 0],
    ],
    definition: (accounts) => {
      const targets = accounts.map((id) => ({ provider_account_id: id, weight: 50 }))
      return { rules: [], default: { type: 'split', key: 'payment', targets } }
    },
  },
  declines_large: {
    name: 'declines_large',
    orders: (amount) => (amount >= largeAmount ? null : [[0, 1]]),
    definition: (accounts) => {
      const when = { field: 'amount', op: 'gte', value: largeAmount }
      const rule = [
        ['name', 'Large'],
        ['when', when],
        ['then', { type: 'decline' }],
      ]
      return { rules: [Object.fromEntries(rule)], default: to(accounts, 0, 1) }
    },
  },
}
