import { expect, test } from 'vitest'
import { mapAccounts } from './accounts.ts'
import type { RouteDefinition } from './file.ts'

test('accounts are replaced in targets, fallbacks and examples, and nothing else changes', () => {
  const definition = {
    name: 'a',
    rules: [
      {
        name: 'b',
        when: { field: 'currency', op: 'eq', value: 'eur' },
        then: {
          type: 'split',
          targets: [{ provider_account_id: 'a', weight: 1 }],
          salt: 'a',
          fallback: ['b'],
        },
      },
    ],
    default: { type: 'priority', targets: ['a', 'b'] },
    examples: [
      { name: 'a', payment: { currency: 'eur' }, expect: { provider_account_id: 'a' } },
      { name: 'b', payment: { currency: 'usd' }, expect: { decline: true } },
    ],
  } satisfies RouteDefinition

  expect(mapAccounts(definition, (account) => account.toUpperCase())).toEqual({
    ...definition,
    rules: [
      {
        ...definition.rules[0],
        then: {
          type: 'split',
          targets: [{ provider_account_id: 'A', weight: 1 }],
          salt: 'a',
          fallback: ['B'],
        },
      },
    ],
    default: { type: 'priority', targets: ['A', 'B'] },
    examples: [
      { ...definition.examples[0], expect: { provider_account_id: 'A' } },
      { ...definition.examples[1] },
    ],
  })
})
