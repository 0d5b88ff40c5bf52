// Generates payment scenarios. Each has a subject, so that related faults occur together. Evenly distributed
// faults would rarely interact.

import {
  type AccountPair,
  dependsOnWebhooks,
  isScripted,
  randomAccounts,
  simulators,
  tokenAccountIndex,
} from './account-kinds.ts'
import { networkLimitSteps, randomRoutingChange } from './generate-routing-steps.ts'
import type {
  Action,
  CapabilitySet,
  InjectedFault,
  Pay,
  PaymentScenario,
  Request,
  Step,
  Webhooks,
} from './payment-scenario.ts'
import { disputeChanges, kindsWithDebits, kindsWithDisputes } from './provider-actions.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

type Subject =
  | 'plain'
  | 'crash'
  | 'freeze'
  | 'race'
  | 'outage'
  | 'webhooks'
  | 'payer'
  | 'routes'
  | 'limits'
  | 'disputes'
  | 'debits'

// biome-ignore format: tables.
const subjects = [[8, 'plain'], [26, 'crash'], [20, 'freeze'], [22, 'race'], [10, 'outage'], [8, 'webhooks'], [6, 'payer'],
  [14, 'routes'], [5, 'limits'], [12, 'disputes'], [10, 'debits']] as const
// biome-ignore format: tables.
const capabilities: readonly (readonly [number, CapabilitySet])[] =
  [[60, 'all'], [10, 'no_replay'], [8, 'no_lookup'], [8, 'no_close'], [6, 'lookup_only'], [8, 'close_only']]
// biome-ignore format: tables.
const cards: readonly (readonly [number, string])[] = [
  [60, 'approve'],
  [5, '5001'], [4, '5002'], [5, '5003'], [7, '5004'], [5, '5005'], [3, '5006'], [3, '5007'], [3, '5015'], [3, '5018'], [4, '5019'],
  [3, '5008'], [3, '5009'], [1, '5010'], [1, '5021'], [2, '3004'], [3, 'decline:05'], [3, 'decline:91'], [2, 'decline:51'], [1, 'decline:14'], [1, 'advice:03'],
  [3, '3000'], [1, '3001'], [1, '3002'], [1, '3003'],
  [2, '5011'], [2, '5012'], [2, '5013'], [2, '5014'], [4, '5016'], [3, '5017'], [2, '5020'],
  [3, '6001'], [4, '6002'], [3, '6003'], [8, '6004'], [3, '6005'], [4, '6006'],
]
// biome-ignore format: tables.
const freezeSeconds = [[1, 30], [6, 75], [1, 700], [1, 4_000]] as const
// biome-ignore format: tables.
const payerButtons = [[6, 'approve'], [1, 'fail'], [1, 'leave']] as const
const cardsWithChallenge = ['3000', '3001', '3003']
const amounts = [1, 500, 1000, 1299] as const
/** Currencies without decimal places, which some providers write with two. */
const otherCurrencies = ['jpy', 'isk', 'clp'] as const
const waits = [3, 12, 30, 75, 75, 75, 700, 1_900, 90_000] as const
/** Banks take up to 14 days to confirm a debit. */
const debitWaits = [3, 12, 75, 90_000, 1_300_000] as const
/** The test bank accounts: confirmed soon or after 14 days, rejected, and returned without an action of the scenario. */
// biome-ignore format: a table.
const bankAccounts = [[5, '8000'], [4, '8001'], [2, '8002'], [2, '8003']] as const

type ScenarioDraft = {
  readonly random: SeededRandom
  readonly subject: Subject
  readonly accounts: AccountPair
  readonly steps: Step[]
  readonly payRequests: Pay[]
  requests: number
}

export function generatePaymentScenario(seed: number, index: number): PaymentScenario {
  const random = seededRandom(seed, index)
  const subject = random.weighted(subjects)
  const accounts = accountsFor(subject, random)
  const draft: ScenarioDraft = { random, subject, accounts, steps: [], payRequests: [], requests: 0 }
  const payments = random.weighted([
    [70, 1],
    [27, 2],
    [3, 3],
  ])
  if (subject === 'limits')
    draft.steps.push(...networkLimitSteps(random, (payment) => newPayRequest(draft, payment)))
  else {
    for (let payment = 1; payment <= payments; payment += 1) {
      addPayment(draft, payment)
      addSteps(draft)
    }
  }
  return {
    kind: 'payments',
    accounts,
    capabilities: capabilitiesFor(draft),
    webhooks: webhooksFor(draft),
    ending: random.weighted([
      [88, 'providers_recover'],
      [8, 'until_authorizations_expire'],
      [4, 'outage'],
    ]),
    steps: draft.steps,
    isReconciled: random.boolean(1 / 3),
  }
}

function accountsFor(subject: Subject, random: SeededRandom): AccountPair {
  // The payments of such a scenario use one card with several outcomes, which only metadata can set.
  if (subject === 'limits') return simulators
  if (subject === 'disputes') return [random.pick(kindsWithDisputes), random.pick(kindsWithDisputes)]
  if (subject === 'debits') return [random.pick(kindsWithDebits), random.pick(kindsWithDebits)]
  return randomAccounts(random)
}

function capabilitiesFor({ random, subject, accounts }: ScenarioDraft): CapabilitySet {
  const randomCapabilities = random.weighted(capabilities)
  if (!accounts.includes('simulator')) return 'all'
  // A provider that supports only lookup cannot handle a sender that was frozen for an hour. That gap is
  // known.
  return subject === 'freeze' && randomCapabilities === 'lookup_only' ? 'close_only' : randomCapabilities
}

function webhooksFor({ random, subject, accounts }: ScenarioDraft): Webhooks {
  // Disputes, refunds at the provider and returned debits are reported only by webhook.
  if (subject === 'webhooks' || subject === 'disputes' || subject === 'debits')
    return random.pick(['on', 'twice', 'reordered'] as const)
  const withoutWebhooks = accounts.some(dependsOnWebhooks) ? 0.15 : 0.85
  return random.boolean(withoutWebhooks) ? 'off' : random.pick(['on', 'twice', 'reordered'] as const)
}

function addPayment(draft: ScenarioDraft, payment: number): void {
  const { random, subject, accounts, steps, payRequests } = draft
  if (subject === 'outage' && random.boolean(0.6)) steps.push(randomProviderChange(draft))
  if (subject === 'routes') addRoutingChanges(draft)
  const pay = newPayRequest(draft, payment)
  payRequests.push(pay)
  if (subject === 'routes' && random.boolean(0.35))
    steps.push({ do: 'together', actions: [pay, randomRoutingChange(random, accounts)] })
  else if (subject === 'race' && pay.order !== null && random.boolean(0.5)) {
    const concurrentPayment: Pay = { ...pay, ...newRequest(draft, payment + 10), fault: null }
    payRequests.push(concurrentPayment)
    steps.push({ do: 'together', actions: [pay, concurrentPayment] })
  } else steps.push(pay)
  addFollowUp(draft, pay)
}

function newPayRequest(draft: ScenarioDraft, payment: number): Pay {
  return draft.subject === 'debits' ? newDebitRequest(draft, payment) : newCardRequest(draft, payment)
}

function newDebitRequest(draft: ScenarioDraft, payment: number): Pay {
  const { random } = draft
  return {
    ...newRequest(draft, payment),
    do: 'pay',
    amount: random.pick(amounts),
    currency: 'eur',
    capture: 'automatic',
    card: random.weighted(bankAccounts),
    instrument: 'debit',
    order: random.boolean(0.25) ? 'A' : null,
    initiator: 'customer',
    routed: random.boolean(0.4),
  }
}

function newCardRequest(draft: ScenarioDraft, payment: number): Pay {
  const { random, subject } = draft
  return {
    ...newRequest(draft, payment),
    do: 'pay',
    amount: random.pick(amounts),
    currency: random.boolean(0.9) ? 'eur' : random.pick(otherCurrencies),
    capture: random.boolean(subject === 'disputes' ? 0.2 : 0.45) ? 'manual' : 'automatic',
    card: cardFor(subject, random),
    instrument: instrumentFor(draft),
    order: random.boolean(0.25) ? 'A' : null,
    initiator: random.boolean(0.08) ? 'merchant' : 'customer',
    routed: random.boolean(subject === 'routes' ? 0.9 : 0.4),
  }
}

function instrumentFor({ random, accounts }: ScenarioDraft): Pay['instrument'] {
  const isToken = random.boolean(isScripted(accounts) ? 0.12 : 0.6)
  if (tokenAccountIndex(accounts) !== -1 && random.boolean(0.65)) return 'provider_token'
  return isToken ? 'token' : 'payment_method'
}

/** Outcomes that fail over to another account, immediately or after the first attempt is closed. */
const failoverCards = ['5008', '5009', '5001', 'decline:05', 'decline:91'] as const

function cardFor(subject: Subject, random: SeededRandom): string {
  if (subject === 'payer') return random.pick(cardsWithChallenge)
  if (subject === 'disputes' && random.boolean(0.8)) return 'approve'
  return subject === 'routes' && random.boolean(0.4) ? random.pick(failoverCards) : random.weighted(cards)
}

/** Adds up to two routing changes. */
function addRoutingChanges({ random, accounts, steps }: ScenarioDraft): void {
  for (const share of [0.7, 0.35])
    if (random.boolean(share)) steps.push(randomRoutingChange(random, accounts))
}

/** Disputes and returned debits are interleaved with refunds. */
function stepCountFor(subject: Subject, random: SeededRandom): number {
  const count = random.weighted([
    [20, 0],
    [35, 1],
    [25, 2],
    [15, 3],
    [5, 5],
  ])
  return subject === 'disputes' || subject === 'debits' ? count + 3 : count
}

/** Adds the steps after the payment request. */
function addSteps(draft: ScenarioDraft): void {
  const { random, accounts, steps, subject } = draft
  const stepCount = stepCountFor(subject, random)
  for (let step = 0; step < stepCount; step += 1) {
    if (subject === 'outage' && random.boolean(0.3)) steps.push(randomProviderChange(draft))
    if (subject === 'routes' && random.boolean(0.3)) steps.push(randomRoutingChange(random, accounts))
    const together = random.boolean(subject === 'race' ? 0.55 : 0.06)
    if (together) steps.push({ do: 'together', actions: concurrentActions(draft) })
    else addStep(draft)
  }
}

function concurrentActions(draft: ScenarioDraft): Action[] {
  const { random } = draft
  const actions = [randomAction(draft), randomAction(draft)]
  if (random.boolean(0.25)) actions.push(randomAction(draft))
  if (random.boolean(0.25)) actions.push({ do: 'work', concurrently: false, fault: null })
  return actions
}

const actionsAtProviders: readonly Action['do'][] = ['dispute', 'refund_at_provider', 'return_debit']

function addStep(draft: ScenarioDraft): void {
  const { random, steps, subject } = draft
  if (random.boolean(subject === 'debits' ? 0.4 : 0.25)) {
    addWait(draft, random.pick(subject === 'debits' ? debitWaits : waits))
    return
  }
  const action = randomAction(draft)
  steps.push(action)
  // Webhooks are processed by workers.
  if (actionsAtProviders.includes(action.do) && random.boolean(0.6)) addWait(draft, 3)
  if ('fault' in action && action.do !== 'work') addFollowUp(draft, action)
}

/** Adds waits and repeated requests after a fault, because its effect shows only after time has passed. */
function addFollowUp(draft: ScenarioDraft, { fault, impatient, id }: Request): void {
  const { random, steps, subject } = draft
  if (fault?.kind === 'freezes') {
    thaw(draft)
    return
  }
  if (fault !== null && random.boolean(0.4)) addWait(draft, 75)
  if ((fault !== null || impatient) && random.boolean(0.35)) steps.push({ do: 'repeat', of: id })
  if (impatient && random.boolean(0.5)) addWait(draft, random.pick([3, 25, 75]))
  if (subject === 'webhooks' && random.boolean(0.3)) addWait(draft, random.pick([3, 12]))
}

function thaw(draft: ScenarioDraft): void {
  const { random, steps } = draft
  steps.push({ do: 'wait', seconds: random.weighted(freezeSeconds) })
  const wake: Action = { do: 'wake' }
  const work: Action = { do: 'work', concurrently: false, fault: null }
  if (random.boolean(0.35)) {
    steps.push({ do: 'together', actions: [wake, work] })
    return
  }
  steps.push(work)
  if (random.boolean(0.3)) addWait(draft, random.pick([12, 75]))
  if (random.boolean(0.8)) steps.push(wake)
}

function addWait({ random, steps, subject }: ScenarioDraft, seconds: number): void {
  steps.push({ do: 'wait', seconds })
  const fault = random.boolean(0.3) ? workerFault(subject, random) : null
  if (random.boolean(0.85))
    steps.push({ do: 'work', concurrently: random.boolean(subject === 'race' ? 0.4 : 0.05), fault })
}

function workerFault(subject: Subject, random: SeededRandom): InjectedFault {
  if (subject === 'freeze') return { kind: 'freezes' }
  return subject === 'crash' || subject === 'debits' ? randomFault(random) : null
}

function randomAction(draft: ScenarioDraft): Action {
  const { random, payRequests, subject } = draft
  const { payment, capture, amount, id, card } = random.pick(payRequests)
  const isManual = capture === 'manual'
  const randomAmount = () =>
    random.boolean(0.4) ? null : Math.max(1, Math.floor(amount * random.pick([0.3, 0.5, 0.7, 1.1])))
  const kind = random.weighted([
    [isManual ? 30 : 2, 'capture'],
    [isManual ? 14 : 5, 'cancel'],
    [26, 'refund'],
    [cardsWithChallenge.includes(card) ? 40 : 0, 'return'],
    [8, 'repeat'],
    [4, 'get'],
    [subject === 'webhooks' ? 20 : 1, 'forge'],
    [subject === 'disputes' ? 60 : 1, 'dispute'],
    [subject === 'disputes' || subject === 'debits' ? 15 : 1, 'refund_at_provider'],
    [subject === 'debits' ? 40 : 0, 'return_debit'],
  ] as const)
  switch (kind) {
    case 'capture':
      return {
        ...newRequest(draft, payment),
        do: 'capture',
        amount: randomAmount(),
        final: random.boolean(0.5),
      }
    case 'cancel':
      return { ...newRequest(draft, payment), do: 'cancel' }
    case 'refund':
      return { ...newRequest(draft, payment), do: 'refund', amount: randomAmount() }
    case 'return':
      return { do: 'return', payment, button: random.weighted(payerButtons) }
    case 'repeat':
      return { do: 'repeat', of: id }
    case 'get':
      return { do: 'get', payment }
    case 'forge':
      return { do: 'forge', payment }
    case 'dispute':
      return randomDisputeChange(draft, payment)
    case 'refund_at_provider':
      return { do: 'refund_at_provider', payment, share: random.pick([0.3, 1]) }
    case 'return_debit':
      return { do: 'return_debit', payment }
  }
}

function randomDisputeChange({ random, steps }: ScenarioDraft, payment: number): Action {
  const isOpen = steps.some((step) => step.do === 'dispute' && step.payment === payment)
  const first = random.boolean(0.75) ? 'open' : 'inquire'
  const change = isOpen ? random.pick(disputeChanges) : first
  return { do: 'dispute', payment, change, share: random.pick([0.4, 1, 1]) }
}

function newRequest(draft: ScenarioDraft, payment: number) {
  const { random, subject } = draft
  draft.requests += 1
  const fault = requestFault(subject, random)
  const isDuplicated =
    fault?.kind !== 'freezes' &&
    fault?.kind !== 'loses_commit_response' &&
    random.boolean(subject === 'race' ? 0.3 : 0.02)
  return {
    id: draft.requests,
    payment,
    fault,
    isDuplicated,
    impatient: fault === null && random.boolean(0.07),
  }
}

function requestFault(subject: Subject, random: SeededRandom): InjectedFault {
  if (subject === 'debits') return random.boolean(0.3) ? randomFault(random) : null
  if (subject === 'freeze') return random.boolean(0.6) ? { kind: 'freezes' } : null
  if (subject === 'crash') return random.boolean(0.6) ? randomFault(random) : null
  if (subject === 'routes') return random.boolean(0.25) ? randomFault(random) : null
  return null
}

function randomFault(random: SeededRandom): InjectedFault {
  const kind = random.weighted([
    [3, 'crashes_after_commit'],
    [2, 'loses_commit_response'],
    [2, 'crashes_before_sending'],
    [3, 'crashes_after_response'],
  ] as const)
  if (kind === 'crashes_after_commit' || kind === 'loses_commit_response')
    return { kind, nth: 1 + random.integerBelow(2) }
  return { kind }
}

function randomProviderChange({ random }: ScenarioDraft): Step {
  const account = random.boolean(0.7) ? 0 : 1
  const change = random.weighted([
    [3, { outage: true, outage_manner: 'plain' }],
    [2, { outage: true, outage_manner: 'silence' }],
    [2, { outage: true, outage_manner: 'reset' }],
    [2, { outage: true, outage_manner: 'hang_up' }],
    [3, { outage: false }],
    [1, { webhooks: 'off' }],
    [1, { webhooks: 'twice' }],
    [1, { latency_ms: 5 }],
  ] as const)
  return { do: 'provider', account, change }
}
