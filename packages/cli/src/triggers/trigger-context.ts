/** Building blocks of recipes: they create objects in test mode with public API calls. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CreatePayment,
  DeclineError,
  type Payment,
  type Switchyard,
  type TestClock,
} from '@switchyard/sdk'

export type PossibleRecipe = {
  /** The steps, as shown to the user. */
  readonly how: string
  /** Runs the steps, and returns an id that the event contains. */
  readonly run: (context: TriggerContext) => Promise<string>
  /** How long to wait for the event. */
  readonly waitSeconds?: number
}

/** How to trigger an event type, or why it cannot be triggered. */
export type Recipe = PossibleRecipe | { readonly why: string }

export type Recipes = Readonly<Record<string, Recipe>>

/** Test card numbers, by outcome. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000510000',
  softlyDeclined: '4000000000050007',
  requires3ds: '4000000030000006',
  chargesThenFails: '4000000050030008',
  unreachable: '4000000050080003',
  rejectsCredentials: '4000000050100009',
  chargesLess: '4000000050140005',
  refundFails: '4000000060040005',
  disputed: '4000000070010006',
  inquired: '4000000070020005',
  disputedSoon: '4000000070030004',
} as const

export type TriggerContext = ReturnType<typeof createTriggerContext>

export function createTriggerContext(client: Switchyard, signal: AbortSignal) {
  const createToken = async (number: string = cards.good): Promise<string> => {
    const card = { number, exp_month: 12, exp_year: 2036, cvc: '123' }
    return (await client.tokens.create({ type: 'card', card }, { signal })).id
  }
  const createCustomer = async (test_clock_id?: string): Promise<string> => {
    const members = { name: 'Ada Lovelace', email: 'ada@example.com' }
    return (
      await client.customers.create({ ...members, ...(test_clock_id ? { test_clock_id } : {}) }, { signal })
    ).id
  }
  /** Attaches a card to the customer. `simulate` scripts the outcome of each payment. */
  const attachCard = async (customer_id: string, simulate?: string, number?: string): Promise<string> => {
    const metadata = simulate === undefined ? {} : { simulate }
    const method = await client.paymentMethods.create(
      { token: await createToken(number), metadata },
      { signal },
    )
    await client.paymentMethods.attach(method.id, { customer_id }, { signal })
    return method.id
  }
  const pay = async (number: string = cards.good, members: Partial<CreatePayment> = {}): Promise<Payment> =>
    client.payments.create(
      { amount: randomAmount(), currency: 'eur', token: await createToken(number), ...members },
      { signal },
    )
  const createPrice = async (): Promise<string> => {
    const product = await client.products.create({ name: 'Team plan' }, { signal })
    const terms = {
      product_id: product.id,
      currency: 'eur',
      unit_amount: randomAmount(),
      recurring: { interval: 'month' },
    } as const
    return (await client.prices.create(terms, { signal })).id
  }
  const createClock = async (): Promise<string> =>
    (
      await client.testClocks.create(
        { name: 'switchyard trigger', now_at: '2027-01-01T00:00:00.000Z' },
        { signal },
      )
    ).id
  const advanceClock = async (id: string, by: string): Promise<void> => {
    let testClock: TestClock = await client.testClocks.advance(id, { by }, { signal })
    while (testClock.status === 'advancing') {
      await sleep(250, undefined, { signal })
      testClock = await client.testClocks.get(id, { signal })
    }
  }
  return {
    client,
    signal,
    createToken,
    createCustomer,
    attachCard,
    pay,
    createPrice,
    createClock,
    advanceClock,
  }
}

/** The id of a payment, even if it was declined. */
export async function idOfDeclinedPayment(payment: Promise<Payment>): Promise<string> {
  try {
    return (await payment).id
  } catch (error) {
    const id = error instanceof DeclineError ? error.problem?.resource_id : undefined
    if (id === undefined) throw error
    return id
  }
}

/** Card networks limit retries of the same amount on one card, so each payment uses a different amount. */
function randomAmount(): number {
  return randomInt(1_000, 10_000)
}
