// Stories about routes: plans that are published in the middle, accounts that fail and are asked last, and cards that
// are tried as often as a network allows, and then once more.

import type { Chance } from './chance.ts'
import { planNames } from './plans.ts'
import type { Act, Pay, Step } from './story.ts'

/** Something changes about where payments go. */
export function aTurn(chance: Chance): Act {
  if (chance.isTrue(0.6)) return { do: 'publish', plan: chance.one(planNames) }
  return { do: 'breaker', account: chance.isTrue(0.7) ? 0 : 1, isOpen: chance.isTrue(0.65) }
}

// biome-ignore format: a table.
const words = [[50, 'decline:51'], [15, 'decline:05'], [6, 'decline:14'], [12, 'approve'], [6, 'decline:91']] as const
// biome-ignore format: a table.
const pauses = [[60, 0], [20, 3_600], [12, 90_000], [8, 2_700_000]] as const

/** By the merchant alone, with one card, mostly for the same sum. */
export function limitSteps(chance: Chance, newPay: (payment: number) => Pay): Step[] {
  const steps: Step[] = []
  const count = 5 + chance.below(4)
  for (let payment = 1; payment <= count; payment += 1) {
    const pay = limited(chance, newPay(payment))
    if (chance.isTrue(0.15)) {
      const rival = limited(chance, newPay(payment + 20))
      steps.push({ do: 'together', acts: [pay, rival] })
    } else steps.push(pay)
    const seconds = chance.weighed(pauses)
    if (seconds > 0) steps.push({ do: 'wait', seconds })
  }
  return steps
}

function limited(chance: Chance, pay: Pay): Pay {
  return {
    ...pay,
    ...{ fate: null, twice: false, impatient: false, order: null, by: 'method', capture: 'automatic' },
    initiator: 'merchant',
    amount: chance.isTrue(0.85) ? 500 : 1,
    card: chance.weighed(words),
  }
}
