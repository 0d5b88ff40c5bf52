/** Years worth seeing: what a card does, one step for each payment of its customer. The last step stays. */
export type Preset = {
  readonly id: string
  readonly text: string
  readonly hint: string
  /** As `metadata.simulate` of the payment method; null: it always pays. */
  readonly simulate: string | null
}

export const presets: readonly Preset[] = [
  {
    id: 'month_3',
    text: 'The card fails in month 3',
    hint: 'Too little money three times, then a retry is paid.',
    simulate: 'approve x2, decline:51 x3, approve',
  },
  {
    id: 'renewal_2',
    text: 'No funds on the second renewal',
    hint: 'The first retry is paid.',
    simulate: 'approve x2, decline:51, approve',
  },
  {
    id: 'expired',
    text: 'The card expires in month 3',
    hint: 'Nothing is tried with it again; the campaign waits for another card until it ends.',
    simulate: 'approve x2, decline:54',
  },
  {
    id: 'authentication',
    text: 'The bank wants to see the payer',
    hint: 'Asked for while the payer is away; the campaign waits for the customer.',
    simulate: 'approve x3, decline:70, approve',
  },
  {
    id: 'down',
    text: 'The bank cannot be reached for a day',
    hint: 'The first retry is paid, a day later.',
    simulate: 'approve x4, decline:91 x2, approve',
  },
  { id: 'well', text: 'All goes well', hint: 'Twelve renewals, all paid.', simulate: null },
]

export const plan = {
  product: 'A year on one screen',
  lookup_key: 'a_year_on_one_screen',
  currency: 'eur',
  unit_amount: 2_900,
} as const

export const card = { number: '4242424242424242', exp_month: 12, exp_year: 2035, cvc: '123' } as const

/** The same as somebody would write it. */
export function scriptOf({ text, simulate }: Preset, address: string): string {
  const metadata = simulate === null ? '{}' : `{ simulate: '${simulate}' }`
  return `import { Switchyard } from '@switchyard/sdk'

const switchyard = new Switchyard({
  token: process.env.SWITCHYARD_TOKEN,
  baseUrl: '${address}',
})
const product = await switchyard.products.create({ name: '${plan.product}' })
const price = await switchyard.prices.create({
  product_id: product.id,
  currency: '${plan.currency}',
  unit_amount: ${plan.unit_amount},
  recurring: { interval: 'month' },
})
const clock = await switchyard.testClocks.create({ name: '${text}' })
const customer = await switchyard.customers.create({ name: 'Ada Lovelace', test_clock_id: clock.id })
const token = await switchyard.tokens.create({
  type: 'card',
  card: { number: '${card.number}', exp_month: ${card.exp_month}, exp_year: ${card.exp_year}, cvc: '${card.cvc}' },
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
