// Random lives of subscriptions: pauses, resumptions, changes, cancellations and payments in any order.

import fc from 'fast-check'
import type { Command } from '../../src/domains/subscriptions/plan/commands.ts'
import type { Item, Terms, Trial } from '../../src/domains/subscriptions/subscription.ts'
import { addSeconds } from '../../src/kernel/clock.ts'
import { Refusal } from '../../src/kernel/errors.ts'
import {
  anId,
  anItem,
  ask,
  begin,
  newborn,
  pass,
  settleActivation,
  tell,
  type World,
} from './subscription-world.ts'

export const day = 86_400
const start = new Date('2027-01-31T09:30:00.000Z')

const intervals = fc.constantFrom(
  { unit: 'month', count: 1 },
  { unit: 'week', count: 2 },
  { unit: 'day', count: 1 },
  { unit: 'year', count: 1 },
) satisfies fc.Arbitrary<Terms['interval']>
const terms: fc.Arbitrary<Partial<Terms>> = fc.record({
  interval: intervals,
  activationPolicy: fc.constantFrom('on_payment', 'on_attempt'),
  paymentMethodId: fc.constantFrom(anId('payment_method'), null),
  anchorWish: fc.record({
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

type Deed =
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
      interval: Terms['interval'] | null
    }
  | { do: 'move_trial'; seconds: number }

const seconds = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 * day }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 70 * day }) },
)
const when = fc.oneof(
  fc.constantFrom('now' as const, 'period_end' as const),
  fc.integer({ min: 1, max: 60 * day }),
)
const deeds: fc.Arbitrary<Deed> = fc.oneof(
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
      at: when,
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
      at: when,
      unusedTime: fc.constantFrom('credit', 'forfeit', 'refund'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('change'),
      quantity: fc.integer({ min: 1, max: 9 }),
      price: fc.constantFrom('100000000000', '250000000001', '777777777777.77'),
      behaviour: fc.constantFrom('invoice_now', 'next_invoice', 'next_period'),
      interval: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: intervals }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move_trial'), seconds }) },
) as fc.Arbitrary<Deed>

export type History = {
  terms: Partial<Terms>
  trial: (Omit<Trial, 'startAt' | 'endAt'> & { days: number }) | null
  deeds: Deed[]
}

/** Most of them are paid for at once, so that there is something to pause, change and cancel. */
const openings: fc.Arbitrary<Deed[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Deed[]>([{ do: 'wait', seconds: 0 }, { do: 'pay' }]) },
  { weight: 1, arbitrary: fc.constant<Deed[]>([]) },
)

export const histories: fc.Arbitrary<History> = fc
  .record({
    terms,
    trial: trials,
    opening: openings,
    deeds: fc.array(deeds, { minLength: 1, maxLength: 25, size: 'max' }),
  })
  .map(({ opening, deeds: rest, ...history }) => ({ ...history, deeds: [...opening, ...rest] }) as History)

export function live(history: History, look: (world: World) => void = () => {}): World {
  const trial =
    history.trial === null
      ? null
      : { startAt: start, endAt: addSeconds(start, history.trial.days * day), ...history.trial }
  // So dear that no part of a second rounds to nothing.
  const items = [anItem('100000000000'), anItem('30000000000', 3)]
  const world = begin(newborn(start, { items, ...history.terms }, trial))
  for (const deed of history.deeds) {
    try {
      perform(world, deed)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    look(world)
  }
  return world
}

function perform(world: World, deed: Deed): void {
  switch (deed.do) {
    case 'wait':
      pass(world, deed.seconds)
      break
    case 'pay':
    case 'decline':
      settleActivation(world, deed.do === 'pay')
      break
    case 'send':
      sendActivation(world)
      break
    case 'pay_all':
      payAll(world)
      break
    case 'give_up':
      giveUp(world)
      break
    default:
      ask(world, commandOf(world, deed))
  }
}

/** Its payment is under way. */
function sendActivation(world: World): void {
  const id = world.subscription.activation?.invoiceId
  const invoice = id == null ? undefined : world.invoices.get(id)
  if (invoice?.status === 'open') invoice.inFlight = true
}

function giveUp(world: World): void {
  for (const invoice of world.invoices.values()) if (invoice.status === 'open') invoice.overdue = true
  tell(world, { is: 'dunning_exhausted', finalAction: 'pause' })
}

function payAll(world: World): void {
  settleActivation(world, true)
  let paidAny = false
  for (const invoice of world.invoices.values()) {
    if (invoice.status !== 'open') continue
    invoice.status = 'paid'
    invoice.overdue = false
    paidAny = true
  }
  if (paidAny) tell(world, { is: 'overdue_settled' })
}

type Asked = Extract<Deed, { do: 'pause' | 'resume' | 'cancel' | 'change' | 'move_trial' }>

function commandOf({ now, subscription }: World, deed: Asked): Command {
  const timeOf = <T extends string>(at: T | number) => (typeof at === 'number' ? addSeconds(now, at) : at)
  switch (deed.do) {
    case 'pause':
      return {
        is: 'pause',
        at: timeOf(deed.at),
        wish: {
          ...{ openInvoices: 'continue', unusedTime: deed.unusedTime },
          resumesAt: deed.resumesIn === null ? null : addSeconds(now, 61 * day + deed.resumesIn),
        },
      }
    case 'resume':
      return { is: 'resume', at: timeOf(deed.at), wish: { openInvoices: 'collect' } }
    case 'cancel':
      return {
        ...{ is: 'cancel', at: timeOf(deed.at) },
        wish: { unusedTime: deed.unusedTime, openInvoices: 'continue', feedback: null },
      }
    case 'change': {
      const [first, ...others] = subscription.items as [Item, ...Item[]]
      const priceId = deed.price === first.unitAmountDecimal ? first.priceId : anId('price')
      const items = [...others, { ...first, priceId, unitAmountDecimal: deed.price, quantity: deed.quantity }]
      return {
        is: 'update',
        wish: {
          ...{ settings: {}, behaviour: deed.behaviour, changedAt: null, trialEndAt: null, withdraws: false },
          items: { items, interval: deed.interval ?? subscription.interval },
        },
      }
    }
    case 'move_trial':
      return {
        is: 'update',
        wish: {
          ...{ settings: {}, items: null, behaviour: 'none', changedAt: null, withdraws: false },
          trialEndAt: addSeconds(now, deed.seconds),
        },
      }
  }
}
