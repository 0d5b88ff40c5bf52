// Generates random histories of subscriptions: pauses, resumptions, changes, cancellations and payments in
// any order.

import fc from 'fast-check'
import type { Command } from '../../src/domains/billing/subscriptions/plan/commands.ts'
import type { Item, SubscriptionTerms, Trial } from '../../src/domains/billing/subscriptions/subscription.ts'
import { addSeconds } from '../../src/kernel/clock.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import { canonical } from '../../src/kernel/json.ts'
import { factorsOf, type PriceFactors, perUnit } from '../../src/kernel/price-schemes.ts'
import {
  advanceTime,
  anId,
  anItem,
  applyExternalEvent,
  newSubscription,
  runCommand,
  type SubscriptionSimulation,
  settleActivation,
  startSimulation,
} from './subscription-simulation.ts'

export const day = 86_400
const start = new Date('2027-01-31T09:30:00.000Z')

const intervals = fc.constantFrom(
  { unit: 'month', count: 1 },
  { unit: 'week', count: 2 },
  { unit: 'day', count: 1 },
  { unit: 'year', count: 1 },
) satisfies fc.Arbitrary<SubscriptionTerms['interval']>
const terms: fc.Arbitrary<Partial<SubscriptionTerms>> = fc.record({
  interval: intervals,
  activationPolicy: fc.constantFrom('on_payment', 'on_attempt'),
  paymentMethodId: fc.constantFrom(anId('payment_method'), null),
  requestedAnchor: fc.record({
    dayOfMonth: fc.constant(null),
    timeZone: fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe'),
    stub: fc.constantFrom('prorate', 'free'),
  }),
})
const trials = fc.option(
  fc.record({
    days: fc.integer({ min: 1, max: 40 }),
    endBehaviour: fc.constantFrom('activate', 'pause', 'cancel'),
    missingPaymentMethod: fc.constantFrom('pause', 'cancel', 'invoice'),
  }),
)

type HistoryStep =
  | { do: 'wait'; seconds: number }
  | { do: 'pay' | 'decline' | 'send' | 'pay_all' | 'give_up' }
  | {
      do: 'pause'
      at: 'now' | 'period_end' | number
      unusedTime: 'keep' | 'credit' | 'forfeit'
      resumesIn: number | null
    }
  | { do: 'resume'; at: 'now' | number }
  | { do: 'cancel'; at: 'now' | 'period_end' | number; unusedTime: 'credit' | 'forfeit' | 'refund' }
  | {
      do: 'change'
      quantity: number
      price: string
      behaviour: 'invoice_now' | 'next_invoice' | 'next_period'
      interval: SubscriptionTerms['interval'] | null
    }
  | { do: 'move_trial'; seconds: number }

const seconds = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 * day }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 70 * day }) },
)
const randomTime = fc.oneof(
  fc.constantFrom('now' as const, 'period_end' as const),
  fc.integer({ min: 1, max: 60 * day }),
)
const steps: fc.Arbitrary<HistoryStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait'), seconds }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('pay', 'pay', 'pay', 'decline', 'send', 'pay_all', 'give_up'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pause'),
      at: randomTime,
      unusedTime: fc.constantFrom('keep', 'keep', 'credit', 'forfeit'),
      resumesIn: fc.option(fc.integer({ min: 1, max: 50 * day })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resume'),
      at: fc.oneof(fc.constant('now' as const), fc.integer({ min: 1, max: 20 * day })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cancel'),
      at: randomTime,
      unusedTime: fc.constantFrom('credit', 'forfeit', 'refund'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change'),
      quantity: fc.integer({ min: 1, max: 9 }),
      price: fc.constantFrom(
        '100000000000',
        '250000000001',
        '777777777777.77',
        'graduated',
        'volume',
        'package',
      ),
      behaviour: fc.constantFrom('invoice_now', 'next_invoice', 'next_period'),
      interval: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: intervals }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move_trial'), seconds }) },
) as fc.Arbitrary<HistoryStep>

export type History = {
  terms: Partial<SubscriptionTerms>
  trial: (Omit<Trial, 'startAt' | 'endAt'> & { days: number }) | null
  steps: HistoryStep[]
}

/**
 * Most histories start with a payment, so that there is an active subscription to pause, change and cancel.
 */
const firstSteps: fc.Arbitrary<HistoryStep[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<HistoryStep[]>([{ do: 'wait', seconds: 0 }, { do: 'pay' }]) },
  { weight: 1, arbitrary: fc.constant<HistoryStep[]>([]) },
)

export const histories: fc.Arbitrary<History> = fc
  .record({
    terms,
    trial: trials,
    firstSteps,
    steps: fc.array(steps, { minLength: 1, maxLength: 25, size: 'max' }),
  })
  .map(
    ({ firstSteps: first, steps: rest, ...history }) =>
      ({ ...history, steps: [...first, ...rest] }) as History,
  )

export function runHistory(
  history: History,
  onStep: (simulation: SubscriptionSimulation) => void = () => {},
): SubscriptionSimulation {
  const trial =
    history.trial === null
      ? null
      : { startAt: start, endAt: addSeconds(start, history.trial.days * day), ...history.trial }
  // The prices are so high that the price of a fraction of a second does not round to zero.
  const items = [anItem('100000000000'), anItem('30000000000', 3)]
  const simulation = startSimulation(newSubscription(start, { items, ...history.terms }, trial))
  for (const step of history.steps) {
    try {
      perform(simulation, step)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    onStep(simulation)
  }
  return simulation
}

/** A unit amount, or the name of a scheme. */
function factorsOfStep(price: string): PriceFactors {
  const tiers = [
    { up_to: 2, unit_amount_decimal: '200000000000', flat_amount: 1 },
    { up_to: 5, unit_amount_decimal: '100000000000.55', flat_amount: 0 },
    { up_to: null, unit_amount_decimal: '90000000000', flat_amount: 70_000_000_000 },
  ]
  switch (price) {
    case 'graduated':
      return { unitAmountDecimal: null, pricing: { ...perUnit, scheme: price, tiers } }
    case 'volume':
      return {
        unitAmountDecimal: null,
        pricing: { ...perUnit, scheme: price, tiers, minimum_amount: 250_000_000_000 },
      }
    case 'package':
      return {
        unitAmountDecimal: '300000000000',
        pricing: {
          ...perUnit,
          scheme: price,
          package: { size: 4, round: 'up' },
          maximum_amount: 700_000_000_000,
        },
      }
    default:
      return { unitAmountDecimal: price }
  }
}

function perform(simulation: SubscriptionSimulation, step: HistoryStep): void {
  switch (step.do) {
    case 'wait':
      advanceTime(simulation, step.seconds)
      break
    case 'pay':
    case 'decline':
      settleActivation(simulation, step.do === 'pay')
      break
    case 'send':
      sendActivation(simulation)
      break
    case 'pay_all':
      payAll(simulation)
      break
    case 'give_up':
      exhaustDunning(simulation)
      break
    default:
      runCommand(simulation, toCommand(simulation, step))
  }
}

/** Marks the payment of the activation invoice as in progress. */
function sendActivation(simulation: SubscriptionSimulation): void {
  const id = simulation.subscription.activation?.invoiceId
  const invoice = id == null ? undefined : simulation.invoices.get(id)
  if (invoice?.status === 'open') invoice.inFlight = true
}

function exhaustDunning(simulation: SubscriptionSimulation): void {
  for (const invoice of simulation.invoices.values()) if (invoice.status === 'open') invoice.overdue = true
  applyExternalEvent(simulation, { kind: 'dunning_exhausted', finalAction: 'pause' })
}

function payAll(simulation: SubscriptionSimulation): void {
  settleActivation(simulation, true)
  let paidAny = false
  for (const invoice of simulation.invoices.values()) {
    if (invoice.status !== 'open') continue
    invoice.status = 'paid'
    invoice.overdue = false
    paidAny = true
  }
  if (paidAny) applyExternalEvent(simulation, { kind: 'overdue_settled' })
}

type CommandStep = Extract<HistoryStep, { do: 'pause' | 'resume' | 'cancel' | 'change' | 'move_trial' }>

function toCommand({ now, subscription }: SubscriptionSimulation, step: CommandStep): Command {
  const toTime = <T extends string>(at: T | number) => (typeof at === 'number' ? addSeconds(now, at) : at)
  switch (step.do) {
    case 'pause':
      return {
        kind: 'pause',
        at: toTime(step.at),
        options: {
          openInvoices: 'continue',
          unusedTime: step.unusedTime,
          resumesAt: step.resumesIn === null ? null : addSeconds(now, 61 * day + step.resumesIn),
        },
      }
    case 'resume':
      return { kind: 'resume', at: toTime(step.at), options: { openInvoices: 'collect' } }
    case 'cancel':
      return {
        kind: 'cancel',
        at: toTime(step.at),
        options: { unusedTime: step.unusedTime, openInvoices: 'continue', feedback: null },
      }
    case 'change': {
      const [first, ...others] = subscription.items as [Item, ...Item[]]
      const isSame = canonical(factorsOfStep(step.price)) === canonical(factorsOf(first))
      const priceId = isSame ? first.priceId : anId('price')
      const { pricing: _, ...item } = first
      const items = [...others, { ...item, priceId, ...factorsOfStep(step.price), quantity: step.quantity }]
      return {
        kind: 'update',
        options: {
          settings: {},
          behaviour: step.behaviour,
          changedAt: null,
          trialEndAt: null,
          removesScheduledChange: false,
          items: { items, interval: step.interval ?? subscription.interval },
        },
      }
    }
    case 'move_trial':
      return {
        kind: 'update',
        options: {
          settings: {},
          items: null,
          behaviour: 'none',
          changedAt: null,
          removesScheduledChange: false,
          trialEndAt: addSeconds(now, step.seconds),
        },
      }
  }
}
