// Generates steps about routing: variants that are published during the scenario, accounts that fail, and
// cards that are tried more often than their network allows.

import { type AccountKind, type AccountPair, acceptsCardNumbers } from './account-kinds.ts'
import type { Action, Pay, Step } from './payment-scenario.ts'
import { type RouteVariant, routeVariantDefinitions, routeVariants } from './route-variants.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A change of the route or of a provider's health. */
export function randomRoutingChange(random: SeededRandom, accounts: AccountPair): Action {
  if (random.boolean(0.6)) return { do: 'publish', variant: random.pick(publishableVariants(accounts)) }
  return { do: 'breaker', account: random.boolean(0.7) ? 0 : 1, isOpen: random.boolean(0.65) }
}

/** The API rejects a route without any account that accepts card numbers. */
function publishableVariants(accounts: AccountPair): readonly RouteVariant[] {
  const capable = (index: number) => acceptsCardNumbers(accounts[index] as AccountKind)
  return routeVariants.filter((variant) =>
    routeVariantDefinitions[variant].accountSequences(1)?.some((sequence) => sequence.some(capable)),
  )
}

// biome-ignore format: a table.
const outcomes = [[50, 'decline:51'], [15, 'decline:05'], [6, 'decline:14'], [12, 'approve'], [6, 'decline:91']] as const
// biome-ignore format: a table.
const pauses = [[60, 0], [20, 3_600], [12, 90_000], [8, 2_700_000]] as const

/** Merchant-initiated payments with one card, mostly of the same amount. */
export function networkLimitSteps(random: SeededRandom, newPay: (payment: number) => Pay): Step[] {
  const steps: Step[] = []
  const count = 5 + random.integerBelow(4)
  for (let payment = 1; payment <= count; payment += 1) {
    const pay = toMerchantPayment(random, newPay(payment))
    if (random.boolean(0.15)) {
      const concurrentPayment = toMerchantPayment(random, newPay(payment + 20))
      steps.push({ do: 'together', actions: [pay, concurrentPayment] })
    } else steps.push(pay)
    const seconds = random.weighted(pauses)
    if (seconds > 0) steps.push({ do: 'wait', seconds })
  }
  return steps
}

function toMerchantPayment(random: SeededRandom, pay: Pay): Pay {
  return {
    ...pay,
    fault: null,
    isDuplicated: false,
    impatient: false,
    order: null,
    instrument: 'payment_method',
    capture: 'automatic',
    initiator: 'merchant',
    amount: random.boolean(0.85) ? 500 : 1,
    currency: 'eur',
    card: random.weighted(outcomes),
  }
}
