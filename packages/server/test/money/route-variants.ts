// Variants of the payment route of a scenario. The checks compute the expected accounts independently of the
// code under test.

type RouteVariantDefinition = {
  readonly name: RouteVariant
  /**
   * The sequences in which accounts can be tried for a payment of this amount, as indexes of accounts. A split
   * has several. Null if the payment is declined.
   */
  readonly accountSequences: (amount: number) => readonly (readonly number[])[] | null
  readonly definition: (accounts: readonly string[]) => object
}

export const routeVariants = ['in_order', 'reversed', 'first_only', 'split', 'declines_large'] as const
export type RouteVariant = (typeof routeVariants)[number]

export const largeAmount = 1_000

const priorityAction = (accounts: readonly string[], ...indexes: number[]) => ({
  type: 'priority',
  targets: indexes.map((index) => accounts[index]),
})

export const routeVariantDefinitions: { readonly [Name in RouteVariant]: RouteVariantDefinition } = {
  in_order: {
    name: 'in_order',
    accountSequences: () => [[0, 1]],
    definition: (accounts) => ({ rules: [], default: priorityAction(accounts, 0, 1) }),
  },
  reversed: {
    name: 'reversed',
    accountSequences: () => [[1, 0]],
    definition: (accounts) => ({ rules: [], default: priorityAction(accounts, 1, 0) }),
  },
  first_only: {
    name: 'first_only',
    accountSequences: () => [[0]],
    definition: (accounts) => ({ rules: [], default: priorityAction(accounts, 0) }),
  },
  split: {
    name: 'split',
    accountSequences: () => [
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
    accountSequences: (amount) => (amount >= largeAmount ? null : [[0, 1]]),
    definition: (accounts) => {
      const when = { field: 'amount', op: 'gte', value: largeAmount }
      // Built from entries, because the linter forbids objects with a member called `then`.
      const rule = [
        ['name', 'Large'],
        ['when', when],
        ['then', { type: 'decline' }],
      ]
      return { rules: [Object.fromEntries(rule)], default: priorityAction(accounts, 0, 1) }
    },
  },
}
