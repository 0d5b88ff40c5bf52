// Valid payment routes that are as expensive to check as possible. Each of them once blocked the process while it was
// linted.

import { currencies } from '../../../src/kernel/currency.ts'

type RouteInput = { readonly name: string; readonly rules: readonly object[]; readonly default: object }

/** Returns the routes by name. `accounts` are the ids of ten provider accounts. */
export function heavyRoutes(accounts: readonly string[]): { readonly [name: string]: RouteInput } {
  const first = { type: 'priority', targets: accounts.slice(0, 1) }
  const createRule = (index: number, when: object, action: object) => {
    // biome-ignore lint/suspicious/noThenProperty: this is the name of the member in the API.
    return { name: `r${index}`, when, then: action }
  }
  const route = (rules: readonly object[], overrides: object = {}): RouteInput => ({
    name: 'Heavy',
    rules: rules.map((when, index) => createRule(index, when, index % 2 === 0 ? first : { type: 'decline' })),
    default: first,
    ...overrides,
  })
  const times = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index))
  const rulesWithLists = (field: string, lists: number, value: (index: number) => string | number) =>
    times(Math.ceil(lists / 2), (rule) => ({
      any: times(2, (half) => ({
        field,
        op: 'in',
        value: times(300, (index) => value((rule * 2 + half) * 300 + index)),
      })),
    }))
  const prefix = { field: 'metadata.a', op: 'starts_with', value: 'aaa' }
  const textsWithPrefix = [...'xyzXYZ~_-'].map((letter) => `aaa${letter}`)
  return {
    'many prefixes and many strings': route([
      ...times(38, () => ({ any: times(50, () => prefix) })),
      ...rulesWithLists('metadata.a', 64, (index) => index.toString(36)),
      { field: 'metadata.a', op: 'in', value: textsWithPrefix },
    ]),
    'prefixes of each other': route(
      times(150, (rule) => ({
        any: times(3, (index) => ({ ...prefix, value: 'a'.repeat(rule * 3 + index + 1) })),
      })),
    ),
    'many fields': route(
      times(80, (rule) => ({
        any: times(48, (index) => ({ field: `metadata.k${rule * 48 + index}`, op: 'eq', value: 'v' })),
      })),
    ),
    'many amounts': route(rulesWithLists('amount', 80, (index) => index * 7)),
    'many codes': route(rulesWithLists('card.brand', 50, (index) => `other${index}`)),
    'many combinations': route(
      times(100, (rule) => ({
        all: times(40, (index) => ({ field: `metadata.k${index}`, op: 'ne', value: `v${rule}` })),
      })),
    ),
    'many accounts': {
      ...route([], { limits: { currencies, brands: times(300, (index) => `b${index}`) } }),
      rules: times(200, (index) =>
        createRule(
          index,
          { field: 'amount', op: 'eq', value: index + 1 },
          { type: 'priority', targets: accounts },
        ),
      ),
    },
    'many examples': route(
      times(60, (rule) => ({
        all: times(40, (index) => ({ field: `metadata.k${index}`, op: 'ne', value: `v${rule}` })),
      })),
      {
        examples: times(50, (index) => ({
          name: `e${index}`,
          payment: {
            amount: 5,
            currency: 'eur',
            ...Object.fromEntries(times(40, (key) => [`metadata.k${key}`, 'z'])),
          },
          expect: { decline: true },
        })),
      },
    ),
  }
}
