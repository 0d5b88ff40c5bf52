/** What recipes are made of: objects of the test environment, by the same calls that anybody makes. */
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
  /** The calls, for people. */
  readonly how: string
  /** Makes them, and answers an id that stands in the event. */
  readonly run: (world: World) => Promise<string>
  /** How long it may take until the event is there. */
  readonly waitSeconds?: number
}

/** How a type of event is brought about, or why no call can do it. */
export type Recipe = PossibleRecipe | { readonly why: string }

export type Recipes = Readonly<Record<string, Recipe>>

/** Numbers of test cards, by what they do. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000510000',
  softlyDeclined: '4000000000050007',
  asksPayer: '4000000030000006',
  chargesThenFails: '4000000050030008',
  unreachable: '4000000050080003',
  refusesCredentials: '4000000050100009',
  chargesLess: '4000000050140005',
  refundFails: '4000000060040005',
} as const

export type World = ReturnType<typeof createWorld>

export function createWorld(client: Switchyard, signal: AbortSignal) {
  const token = async (number: string = cards.good): Promise<string> => {
    const card = { number, exp_month: 12, exp_year: 2036, cvc: '123' }
    return (await client.tokens.create({ type: 'card', card }, { signal })).id
  }
  const customer = async (test_clock_id?: string): Promise<string> => {
    const members = { name: 'Ada Lovelace', email: 'ada@example.com' }
    return (
      await client.customers.create({ ...members, ...(test_clock_id ? { test_clock_id } : {}) }, { signal })
    ).id
  }
  /** A card that the customer can pay with. `simulate` says what becomes of each payment. */
  const cardOf = async (customer_id: string, simulate?: string, number?: string): Promise<string> => {
    const metadata = simulate === undefined ? {} : { simulate }
    const method = await client.paymentMethods.create({ token: await token(number), metadata }, { signal })
    await client.paymentMethods.attach(method.id, { customer_id }, { signal })
    return method.id
  }
  const pay = async (number: string = cards.good, members: Partial<CreatePayment> = {}): Promise<Payment> =>
    client.payments.create(
      { amount: anAmount(), currency: 'eur', token: await token(number), ...members },
      { signal },
    )
  const price = async (): Promise<string> => {
    const product = await client.products.create({ name: 'Team plan' }, { signal })
    const terms = {
      product_id: product.id,
      currency: 'eur',
      unit_amount: anAmount(),
      recurring: { interval: 'month' },
    } as const
    return (await client.prices.create(terms, { signal })).id
  }
  const clock = async (): Promise<string> =>
    (
      await client.testClocks.create(
        { name: 'switchyard trigger', now_at: '2027-01-01T00:00:00.000Z' },
        { signal },
      )
    ).id
  const advance = async (id: string, by: string): Promise<void> => {
    let moved: TestClock = await client.testClocks.advance(id, { by }, { signal })
    while (moved.status === 'advancing') {
      await sleep(250, undefined, { signal })
      moved = await client.testClocks.get(id, { signal })
    }
  }
  return { client, signal, token, customer, cardOf, pay, price, clock, advance }
}

/** The id of the payment that a declined one leaves behind. */
export async function declinedPayment(paying: Promise<Payment>): Promise<string> {
  try {
    return (await paying).id
  } catch (error) {
    const id = error instanceof DeclineError ? error.problem?.resource_id : undefined
    if (id === undefined) throw error
    return id
  }
}

/** Networks limit how often one amount is asked of one card, so that a day of trying would end at their limit. */
function anAmount(): number {
  return randomInt(1_000, 10_000)
}
