// The kinds of provider accounts in scenarios: the simulator with its own protocol, and the connectors, whose
// providers the simulator emulates. What a kind supports comes from the declarations of its connector.

import type { Provider } from '../../src/providers/contract.ts'
import { registry } from '../../src/providers/registry.ts'
import type { SeededRandom } from './seeded-random.ts'

export const accountKinds = ['simulator', 'stripe', 'adyen', 'mollie', 'checkout_com', 'paypal'] as const
export type AccountKind = (typeof accountKinds)[number]

/** The kinds of the two accounts of a scenario, in their order. */
export type AccountPair = readonly [AccountKind, AccountKind]

export const simulators: AccountPair = ['simulator', 'simulator']

export function providerOfKind(kind: AccountKind): Provider {
  const provider = registry.get(kind)
  if (provider === undefined) throw new Error(`There is no provider ${kind}.`)
  return provider
}

/**
 * Whether the outcome of a payment can be set in its metadata. Connectors do not pass metadata on, so the card number or
 * the token of the provider sets the outcome.
 */
export const isScripted = (pair: AccountPair): boolean =>
  pair.every((kind) => providerOfKind(kind).setup === undefined)

/** Providers that accept only their own tokens are tried only for payments with such a token. */
export const acceptsCardNumbers = (kind: AccountKind): boolean =>
  providerOfKind(kind).setup?.cardData !== 'token'

/** The index of the account that accepts only tokens of its provider; -1 if there is none. */
export const tokenAccountIndex = (pair: AccountPair): number =>
  pair.findIndex((kind) => !acceptsCardNumbers(kind))

/** Whether only webhooks report the result of captures, voids and refunds. */
export function dependsOnWebhooks(kind: AccountKind): boolean {
  const { webhook, lookup, close } = providerOfKind(kind).resolve
  return webhook && lookup === 'none' && !close && providerOfKind(kind).setup !== undefined
}

type RequiredSupport = { readonly currency: string; readonly instrument: string }

/** Whether the account at this index can process a payment, according to the declarations of its connector. */
export function supportsPayment(
  pair: AccountPair,
  index: number,
  { currency, instrument }: RequiredSupport,
): boolean {
  const kind = pair[index] as AccountKind
  const { currencies } = providerOfKind(kind).capabilities
  const tokenIndex = instrument === 'provider_token' ? tokenAccountIndex(pair) : -1
  const acceptsCard = tokenIndex === -1 ? acceptsCardNumbers(kind) : index === tokenIndex
  return acceptsCard && (currencies === 'all' || (currencies as readonly string[]).includes(currency))
}

const mixedShare = 0.65
const simulatorShare = 0.25

/** Both accounts are simulators, or at least one is emulated. At least one accepts card numbers. */
export function randomAccounts(random: SeededRandom): AccountPair {
  if (!random.boolean(mixedShare)) return simulators
  const emulatedKinds = accountKinds.filter((kind) => providerOfKind(kind).setup !== undefined)
  const first = random.pick(emulatedKinds)
  const second = random.boolean(simulatorShare)
    ? 'simulator'
    : random.pick(emulatedKinds.filter(acceptsCardNumbers))
  return random.boolean(0.5) ? [first, second] : [second, first]
}
