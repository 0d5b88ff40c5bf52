// Generates billing scenarios. Each has a subject, so that related faults and actions occur together.

import { simulators } from './account-kinds.ts'
import type {
  BillingAction,
  BillingRequest,
  BillingScenario,
  BillingStep,
  Subscribe,
} from './billing-scenario.ts'
import type { CapabilitySet, InjectedFault, RequestOptions, Webhooks } from './payment-scenario.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

type Subject =
  | 'start'
  | 'race'
  | 'renewal'
  | 'credit'
  | 'dunning'
  | 'checkout'
  | 'crash'
  | 'clock'
  | 'deletion'
  | 'debits'
  | 'notes'
  | 'usage'

// biome-ignore format: tables.
const subjects = [[20, 'start'], [20, 'race'], [14, 'renewal'], [12, 'credit'], [10, 'dunning'], [14, 'checkout'],
  [14, 'crash'], [5, 'clock'], [5, 'deletion'], [14, 'debits'], [16, 'notes'], [20, 'usage']] as const
// biome-ignore format: tables.
const capabilities: readonly (readonly [number, CapabilitySet])[] = [[90, 'all'], [5, 'no_replay'], [5, 'no_close']]

/** Cards whose outcome is unknown at first. 5001 and 5002 are never charged, the others are. */
const unknownCards = ['5001', '5002', '5003', '5004', '5005', '5016', '5017', '5018', '5019'] as const
/** Debits that settle after 2 seconds or 14 days, that fail, and that are returned after they were settled. */
const debits = ['8000', '8001', '8002', '8003'] as const
const settledDebits = ['8000', '8001'] as const
const firstDebits = [...settledDebits, ...debits]
const declinedCards = ['decline:51', 'decline:05', 'decline:91'] as const

const day = 86_400
const shortWaits = [3, 30, 75, 75, 700, 4_000] as const
const longWaits = [day, 3 * day, 10 * day, 31 * day, 32 * day] as const
const debitWaits = [3, 12, 75, day, 15 * day] as const

type ScenarioDraft = {
  readonly random: SeededRandom
  readonly subject: Subject
  readonly steps: BillingStep[]
  subscriptions: number
  sessions: number
  requests: number
}

export function generateBillingScenario(seed: number, index: number): BillingScenario {
  // A different random sequence than the payment scenario at the same index.
  const random = seededRandom(seed ^ 0x5eed, index)
  const subject = random.weighted(subjects)
  const draft: ScenarioDraft = { random, subject, steps: [], subscriptions: 0, sessions: 0, requests: 0 }
  generateSteps(draft)
  return {
    kind: 'billing',
    card: cardFor(draft),
    credit: random.boolean(subject === 'credit' || subject === 'debits' ? 0.6 : 0.15)
      ? random.pick([1000, 2999, 4000])
      : 0,
    discounts: discountsFor(random, subject === 'usage' || subject === 'notes' ? 0.4 : 0.1),
    isTaxed: random.boolean(subject === 'notes' || subject === 'usage' ? 0.6 : 0.25),
    onClock: subject === 'clock',
    // The outcomes of later charges are set in metadata, which connectors do not pass on.
    accounts: simulators,
    capabilities: random.weighted(capabilities),
    // A returned debit is reported only by webhook.
    webhooks: subject === 'debits' ? 'on' : webhooksFor(random),
    ending: random.boolean(0.97) ? 'providers_recover' : 'outage',
    steps: draft.steps,
  }
}

const discountLists = [[0], [1], [2], [1, 0], [2, 1, 0]] as const

const discountsFor = (random: SeededRandom, chance: number): readonly number[] =>
  random.boolean(chance) ? random.pick(discountLists) : []

function webhooksFor(random: SeededRandom): Webhooks {
  return random.boolean(0.8) ? 'off' : random.pick(['on', 'twice', 'twice', 'reordered'] as const)
}

/** One outcome per attempt, so that the first charge can succeed and the renewal fail. */
function cardFor({ random, subject }: ScenarioDraft): string {
  switch (subject) {
    case 'start':
    case 'clock':
      return random.boolean(0.6) ? random.pick([...unknownCards, ...declinedCards]) : 'approve'
    case 'renewal':
      return `approve, ${random.pick([...unknownCards, 'approve'])}, approve`
    case 'credit':
      return random.boolean(0.5)
        ? `approve, ${random.pick(unknownCards)}, approve`
        : random.pick(unknownCards)
    case 'dunning':
    case 'deletion':
      return `approve, ${random.pick(declinedCards)} x${1 + random.integerBelow(4)}, approve`
    case 'notes':
      return random.weighted([
        [6, 'approve'],
        [3, `approve, ${random.pick(declinedCards)} x4, approve`],
        [1, `${random.pick(debits)}, 8000`],
      ] as const)
    case 'debits':
      return `${random.pick(firstDebits)}, ${random.pick(debits)}, ${random.pick(settledDebits)}`
    case 'usage':
      return random.boolean(0.7) ? 'approve' : `approve, ${random.pick(declinedCards)} x2, approve`
    case 'race':
      return random.boolean(0.8) ? 'approve' : random.pick(declinedCards)
    default:
      return random.boolean(0.7) ? 'approve' : random.pick([...unknownCards, ...declinedCards])
  }
}

// biome-ignore format: tables.
const rounds = [[30, 1], [40, 2], [20, 3], [10, 5]] as const
const monthlySubjects: readonly Subject[] = ['renewal', 'dunning', 'deletion', 'notes', 'usage']

function generateSteps(draft: ScenarioDraft): void {
  const { random, steps, subject } = draft
  if (subject === 'checkout') {
    addCheckout(draft)
    return
  }
  addSubscription(draft)
  if (random.boolean(0.1)) addCheckout(draft)
  const count = random.weighted(rounds)
  for (let round = 0; round < count; round += 1) generateRound(draft)
  // Resume an interrupted subscription, which would reveal a second charge.
  if (random.boolean(0.5)) steps.push(resume(draft))
}

function generateRound(draft: ScenarioDraft): void {
  const { random, subject } = draft
  if (subject === 'usage') addUsage(draft)
  if (monthlySubjects.includes(subject)) addWait(draft, 31 * day)
  if (subject === 'credit' && random.boolean(0.25)) addRefundBeforeStop(draft)
  else addSteps(draft)
  addMoreNotes(draft)
  endRound(draft)
  if (subject === 'credit' && random.boolean(0.3)) addSubscription(draft)
}

function endRound(draft: ScenarioDraft): void {
  const { random, subject } = draft
  if (subject === 'usage') addUsage(draft)
  if (subject === 'debits') {
    if (random.boolean(0.5)) addReturnedAndVoided(draft)
    else addDebitSteps(draft)
  } else if (random.boolean(0.6)) addWait(draft, random.pick(random.boolean(0.6) ? shortWaits : longWaits))
}

/** Usage before and after the end of a period, at its boundary, and usage that is recorded late or cancelled. */
function addUsage(draft: ScenarioDraft): void {
  const { random, steps } = draft
  const count = random.integerBelow(4)
  for (let index = 0; index < count; index += 1) {
    const kind = random.weighted([
      [10, 'record_usage'],
      [3, 'cancel_usage'],
      [2, 'set_discounts'],
    ] as const)
    const request = newRequest(draft)
    if (kind === 'record_usage') {
      const subscription = 1 + random.integerBelow(draft.subscriptions)
      const values = Array.from({ length: 1 + random.integerBelow(2) }, () => 1 + random.integerBelow(400))
      const occurred = random.pick([
        'now',
        'an hour ago',
        'days ago',
        'at the start',
        'before the start',
      ] as const)
      steps.push({ ...request, do: kind, subscription, values, occurred })
    } else if (kind === 'cancel_usage') steps.push({ ...request, do: kind, isDuplicated: false })
    else steps.push({ ...request, do: kind, discounts: discountsFor(random, 0.7) })
    if (random.boolean(0.3)) addWait(draft, random.pick([75, 700, 4_000, day]))
  }
}

/** Unused time becomes credit, the bank returns the debit that paid for it, and the invoice is voided. */
function addReturnedAndVoided(draft: ScenarioDraft): void {
  const { random, steps } = draft
  const subscription = 1 + random.integerBelow(draft.subscriptions)
  // Debits settle after up to 14 days, and the subscription is active then.
  steps.push({ do: 'wait', seconds: 15 * day }, workAction(null), workAction(null))
  const request = { ...newRequest(draft), subscription }
  const quantity = 1 + random.integerBelow(2)
  if (random.boolean(0.5)) steps.push({ ...request, do: 'change', quantity, behaviour: 'invoice_now' })
  else steps.push({ ...request, do: 'cancel', at: 'now', unusedTime: 'credit', openInvoices: 'continue' })
  steps.push(workAction(null), { do: 'return_debit', subscription }, workAction(null))
  steps.push({ ...newRequest(draft), do: 'void_invoice', subscription })
}

/** Several notes for the same invoice. */
function addMoreNotes(draft: ScenarioDraft): void {
  if (draft.subject !== 'notes') return
  while (draft.random.boolean(0.6)) addSteps(draft)
}

/** Debits settle and are returned days later, often while the subscription or its invoice changes. */
function addDebitSteps(draft: ScenarioDraft): void {
  const { random, steps } = draft
  addWait(draft, random.pick(debitWaits))
  if (!random.boolean(0.6)) return
  const returned: BillingAction = {
    do: 'return_debit',
    subscription: 1 + random.integerBelow(draft.subscriptions),
  }
  if (random.boolean(0.2)) steps.push({ do: 'together', actions: [returned, randomCommand(draft)] })
  else steps.push(returned)
  if (random.boolean(0.7)) steps.push(workAction(random.boolean(0.3) ? randomFault(random) : null))
  if (random.boolean(0.4)) addSteps(draft)
  if (random.boolean(0.5)) addWait(draft, random.pick(random.boolean(0.5) ? debitWaits : longWaits))
}

/** Refunds a payment, and then stops the subscription, which returns unused time of the same payment. */
function addRefundBeforeStop(draft: ScenarioDraft): void {
  const { random, steps } = draft
  const subscription = 1 + random.integerBelow(draft.subscriptions)
  const share = random.boolean(0.5) ? null : 0.4
  // Time passes, so that a check can tell what was refunded before the stop.
  steps.push({ do: 'wait', seconds: random.pick([75, 700, day]) }, workAction(null))
  steps.push({ ...newRequest(draft), do: 'refund', subscription, share })
  addWait(draft, random.pick([75, 700, day]))
  const stop = { at: 'now', openInvoices: 'continue' } as const
  if (random.boolean(0.5))
    steps.push({
      ...newRequest(draft),
      ...stop,
      do: 'pause',
      subscription,
      unusedTime: 'credit',
      resumesInDays: null,
    })
  else {
    const unusedTime = random.boolean(0.5) ? 'credit' : 'refund'
    steps.push({ ...newRequest(draft), ...stop, do: 'cancel', subscription, unusedTime })
  }
}

function addSubscription(draft: ScenarioDraft): void {
  const { random, steps, subject } = draft
  draft.subscriptions += 1
  const newSubscription: Subscribe = {
    ...newRequest(draft),
    do: 'subscribe',
    subscription: draft.subscriptions,
    quantity: random.weighted(quantities),
    metered: subject === 'usage',
    trialDays: random.boolean(0.1) ? 14 : null,
    policy: random.boolean(onAttempt(subject)) ? 'on_attempt' : 'on_payment',
    dunning: random.integerBelow(4),
  }
  steps.push(newSubscription)
  if (newSubscription.fault?.kind === 'freezes') thaw(draft)
  // Most subscriptions are charged immediately, the others during the next steps.
  if (subject === 'race') {
    if (random.boolean(0.3)) steps.push(workAction(null))
    return
  }
  if (random.boolean(0.15)) return
  const fault = workerFault(draft)
  steps.push(workAction(fault))
  if (fault?.kind === 'freezes') {
    addSteps(draft)
    thaw(draft)
  }
}

/** How often a subscription begins before its first payment has ended. Its unused time is then returned once it is paid. */
function onAttempt(subject: Subject): number {
  if (subject === 'race' || subject === 'start') return 0.1
  return subject === 'credit' ? 0.7 : 0.35
}

// biome-ignore format: tables.
const quantities = [[8, 1], [2, 2], [1, 3]] as const

const workAction = (fault: InjectedFault, concurrently = false): BillingAction => ({
  do: 'work',
  concurrently,
  fault,
})

/** Sometimes a worker freezes before it calls the provider, so that other actions happen in between. */
function workerFault({ random, subject }: ScenarioDraft): InjectedFault {
  if (subject === 'crash') return random.boolean(0.5) ? randomFault(random) : null
  return random.boolean(subject === 'clock' ? 0 : 0.15) ? { kind: 'freezes' } : null
}

function thaw({ random, steps }: ScenarioDraft): void {
  if (random.boolean(0.6)) steps.push({ do: 'wait', seconds: random.pick([3, 75, 700]) })
  if (random.boolean(0.5)) steps.push(workAction(null))
  steps.push({ do: 'wake' })
}

function addSteps(draft: ScenarioDraft): void {
  const { random, steps, subject } = draft
  if (random.boolean(0.06)) steps.push(randomProviderChange(draft))
  if (random.boolean(subject === 'race' ? 0.85 : 0.08)) {
    steps.push({ do: 'together', actions: concurrentActions(draft) })
    return
  }
  const action = randomCommand(draft)
  steps.push(action)
  if ('fault' in action && action.fault?.kind === 'freezes') thaw(draft)
  if ('id' in action && (action.fault !== null || random.boolean(0.05)))
    steps.push({ do: 'repeat', of: action.id })
  if (random.boolean(0.5))
    steps.push(workAction(workerFault({ ...draft, subject: subject === 'crash' ? 'crash' : 'clock' })))
}

/** A worker and a command, one of which stalls before a statement until the other has finished. */
function concurrentActions(draft: ScenarioDraft): BillingAction[] {
  const { random } = draft
  const otherCommand = randomCommand(draft)
  const kind = random.weighted([
    [5, 'worker stalls'],
    [5, 'command stalls'],
    [2, 'no stall'],
    [2, 'two commands'],
  ] as const)
  const stall = (maxStatement: number): InjectedFault => ({
    kind: 'stalls',
    nth: 1 + random.integerBelow(maxStatement),
  })
  switch (kind) {
    case 'worker stalls':
      return [workAction(stall(45)), otherCommand]
    case 'command stalls':
      return [workAction(null), withFault(otherCommand, stall(22))]
    case 'no stall':
      return [workAction(null, random.boolean(0.3)), otherCommand]
    case 'two commands':
      return [randomCommand(draft), withFault(otherCommand, stall(22))]
  }
}

const withFault = (action: BillingAction, fault: InjectedFault): BillingAction =>
  'isDuplicated' in action ? { ...action, fault, isDuplicated: false } : action

function randomCommand(draft: ScenarioDraft): BillingAction {
  const { random, subject } = draft
  const subscription = 1 + random.integerBelow(draft.subscriptions)
  const creditsUnusedTime = subject === 'credit' || subject === 'renewal'
  const isDunning = subject === 'dunning' || subject === 'debits'
  const kind = random.weighted([
    [18, 'pause'],
    [12, 'resume'],
    [16, 'cancel'],
    [creditsUnusedTime ? 14 : 5, 'change'],
    [isDunning ? 12 : 3, 'change_card'],
    [isDunning ? 12 : 6, 'pay_invoice'],
    [subject === 'notes' ? 14 : 3, 'void_invoice'],
    [2, 'mark_uncollectible'],
    [subject === 'start' ? 24 : 12, 'cancel_payment'],
    [4, 'refund'],
    [subject === 'notes' ? 60 : 2, 'credit'],
    [subject === 'notes' ? 10 : 1, 'void_credit_note'],
    [subject === 'deletion' ? 30 : 1, 'delete_customer'],
    [subject === 'clock' ? 30 : 0, 'advance_clock'],
  ] as const)
  const request = { ...newRequest(draft), subscription, do: kind }
  return { ...request, ...memberGenerators[kind]?.(random, creditsUnusedTime) } as BillingRequest
}

type MemberGenerator = (random: SeededRandom, creditsUnusedTime: boolean) => object

const memberGenerators: { readonly [name: string]: MemberGenerator | undefined } = {
  pause: (random, creditsUnusedTime) => ({
    at: randomTime(random),
    unusedTime: random.weighted([
      [creditsUnusedTime ? 4 : 10, 'keep'],
      [4, 'credit'],
      [1, 'forfeit'],
    ] as const),
    openInvoices: random.weighted(openInvoices),
    resumesInDays: random.boolean(0.2) ? random.pick([40, 70]) : null,
  }),
  resume: resumeMembers,
  cancel: (random, creditsUnusedTime) => ({
    at: randomTime(random),
    unusedTime: random.weighted([
      [creditsUnusedTime ? 2 : 5, 'forfeit'],
      [4, 'credit'],
      [4, 'refund'],
    ] as const),
    openInvoices: random.weighted(openInvoices),
  }),
  change: (random) => ({ quantity: 1 + random.integerBelow(3), behaviour: random.weighted(behaviours) }),
  change_card: (random) => ({
    card: random.weighted([
      [14, 'approve'],
      [5, random.pick(unknownCards)],
      [1, random.pick(debits)],
    ] as const),
  }),
  pay_invoice: (random) => ({ outOfBand: random.boolean(0.2) }),
  delete_customer: (random) => ({ cancels: random.boolean(0.6) }),
  refund: (random) => ({ share: random.boolean(0.5) ? null : 0.4 }),
  credit: (random) => ({
    share: random.pick([0.1, 0.25, 0.333, 0.5, 1]),
    returns: random.pick(['refund', 'balance'] as const),
  }),
  advance_clock: (random) => ({ days: random.pick([0, 1, 3, 31, 62]) }),
}

// biome-ignore format: tables.
const openInvoices = [[6, 'continue'], [3, 'stop'], [2, 'void']] as const
// biome-ignore format: tables.
const behaviours = [[6, 'invoice_now'], [2, 'next_invoice'], [1, 'none'], [2, 'next_period']] as const

const randomTime = (random: SeededRandom) => (random.boolean(0.85) ? 'now' : 'period_end')

function resumeMembers(random: SeededRandom) {
  const openInvoices = random.weighted([
    [6, 'collect'],
    [1, 'keep'],
    [1, 'void'],
  ] as const)
  return { openInvoices }
}

function resume(draft: ScenarioDraft): BillingAction {
  const subscription = 1 + draft.random.integerBelow(draft.subscriptions)
  return { ...newRequest(draft), do: 'resume', subscription, ...resumeMembers(draft.random) }
}

function addWait(draft: ScenarioDraft, seconds: number): void {
  const { random, steps, subject } = draft
  if (subject === 'clock' && seconds >= day)
    steps.push({ ...newRequest(draft), do: 'advance_clock', days: Math.round(seconds / day) })
  else steps.push({ do: 'wait', seconds })
  const fault = workerFault(draft)
  if (random.boolean(0.9)) steps.push(workAction(fault, fault === null && random.boolean(0.08)))
  if (fault?.kind !== 'freezes') return
  steps.push(randomCommand(draft))
  thaw(draft)
}

function addCheckout(draft: ScenarioDraft): void {
  const { random, steps, subject } = draft
  draft.sessions += 1
  const session = draft.sessions
  steps.push({
    ...newRequest(draft),
    // The response contains the secret only once, so the responses to duplicates would differ.
    isDuplicated: false,
    do: 'open_session',
    session,
    link: random.boolean(0.35),
    card: random.boolean(0.3) ? 'approve' : random.pick([...unknownCards, ...declinedCards]),
    capture: random.boolean(0.25) ? 'manual' : 'automatic',
  })
  const pay = (): BillingAction => ({ ...newRequest(draft), do: 'pay_session', session })
  const first = pay()
  const isConcurrent = random.boolean(0.2)
  steps.push(isConcurrent ? { do: 'together', actions: [first, pay()] } : first)
  if ('fault' in first && first.fault?.kind === 'freezes') thaw(draft)
  const actionCount = subject === 'checkout' ? 1 + random.integerBelow(4) : random.integerBelow(2)
  for (let step = 0; step < actionCount; step += 1) {
    const action = sessionAction(draft, session, pay)
    if (random.boolean(0.15))
      steps.push({
        do: 'together',
        actions: [withFault(action, { kind: 'stalls', nth: 1 + random.integerBelow(20) }), workAction(null)],
      })
    else steps.push(action)
    if (random.boolean(0.4)) addWait(draft, random.pick(shortWaits))
  }
}

function sessionAction(draft: ScenarioDraft, session: number, pay: () => BillingAction): BillingAction {
  const { random } = draft
  const kind = random.weighted([
    [10, 'cancel_session_payment'],
    [4, 'pay_session'],
    [3, 'see_session'],
    [2, 'refund_session_payment'],
    [3, 'capture_session_payment'],
    [2, 'expire_session'],
  ] as const)
  if (kind === 'pay_session') return pay()
  if (kind === 'see_session') return { do: kind, session }
  return { ...newRequest(draft), do: kind, session }
}

function newRequest(draft: ScenarioDraft): RequestOptions {
  const { random, subject } = draft
  draft.requests += 1
  const fault = subject === 'crash' && random.boolean(0.35) ? randomFault(random) : null
  return { id: draft.requests, fault, isDuplicated: fault === null && random.boolean(0.05), impatient: false }
}

function randomFault(random: SeededRandom): InjectedFault {
  const kind = random.weighted([
    [4, 'crashes_after_commit'],
    [2, 'loses_commit_response'],
    [2, 'crashes_before_sending'],
    [3, 'crashes_after_response'],
    [2, 'freezes'],
  ] as const)
  if (kind === 'crashes_after_commit' || kind === 'loses_commit_response')
    return { kind, nth: 1 + random.integerBelow(4) }
  return { kind }
}

function randomProviderChange({ random }: ScenarioDraft): BillingStep {
  const change = random.weighted([
    [2, { outage: true, outage_manner: 'silence' }],
    [2, { outage: true, outage_manner: 'plain' }],
    [2, { outage: false }],
    [2, { auth_rate: 0 }],
    [1, { auth_rate: 1 }],
    [1, { webhooks: 'twice' }],
  ] as const)
  return { do: 'provider', account: random.boolean(0.7) ? 0 : 1, change }
}
