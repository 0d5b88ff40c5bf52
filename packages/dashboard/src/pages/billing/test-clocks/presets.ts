/** The scenarios of the year simulation: one outcome for each payment with the card. The last outcome repeats. */
export type Preset = {
  readonly id: string
  readonly text: string
  readonly hint: string
  /** The value of `metadata.simulate` of the payment method; null: every payment succeeds. */
  readonly simulate: string | null
}

export const presets: readonly Preset[] = [
  {
    id: 'month_3',
    text: 'The card fails in month 3',
    hint: 'Insufficient funds three times, then a retry succeeds.',
    simulate: 'approve x2, decline:51 x3, approve',
  },
  {
    id: 'renewal_2',
    text: 'Insufficient funds on the second renewal',
    hint: 'The first retry succeeds.',
    simulate: 'approve x2, decline:51, approve',
  },
  {
    id: 'expired',
    text: 'The card expires in month 3',
    hint: 'The card is not retried; the campaign waits for a new card until it ends.',
    simulate: 'approve x2, decline:54',
  },
  {
    id: 'authentication',
    text: 'Bank requires authentication',
    hint: 'The renewal is off-session, so the campaign waits for the customer.',
    simulate: 'approve x3, decline:70, approve',
  },
  {
    id: 'down',
    text: 'The bank is unreachable for a day',
    hint: 'The first retry, a day later, succeeds.',
    simulate: 'approve x4, decline:91 x2, approve',
  },
  { id: 'well', text: 'No failures', hint: 'Twelve renewals, all paid.', simulate: null },
]

export const simulationPlan = {
  product: 'Year simulation',
  lookup_key: 'a_year_on_one_screen',
  currency: 'eur',
  unit_amount: 2_900,
} as const

export const simulationCard = {
  number: '4242424242424242',
  exp_month: 12,
  exp_year: 2035,
  cvc: '123',
} as const

/** The same scenario as code. */
export function scriptOf({ text, simulate }: Preset, address: string): string {
  const metadata = simulate === null ? '{}' : `{ simulate: '${simulate}' }`
  return `import { Switchyard } from '@switchyard/sdk'

const switchyard = new Switchyard({
  token: process.env.SWITCHYARD_TOKEN,
  baseUrl: '${address}',
})
const product = await switchyard.products.create({ name: '${simulationPlan.product}' })
const price = await switchyard.prices.create({
  product_id: product.id,
  currency: '${simulationPlan.currency}',
  unit_amount: ${simulationPlan.unit_amount},
  recurring: { interval: 'month' },
})
const clock = await switchyard.testClocks.create({ name: '${text}' })
const customer = await switchyard.customers.create({ name: 'Ada Lovelace', test_clock_id: clock.id })
const token = await switchyard.tokens.create({
  type: 'card',
  card: { number: '${simulationCard.number}', exp_month: ${simulationCard.exp_month}, exp_year: ${simulationCard.exp_year}, cvc: '${simulationCard.cvc}' },
})
const method = await switchyard.paymentMethods.create({
  token: token.id,
  usage: 'off_session',
  metadata: ${metadata},
})
await switchyard.paymentMethods.attach(method.id, { customer_id: customer.id })
await switchyard.subscriptions.create({
  customer_id: customer.id,
  payment_method_id: method.id,
  items: [{ price_id: price.id }],
})
await switchyard.testClocks.advance(clock.id, { by: 'P1Y' })`
}
