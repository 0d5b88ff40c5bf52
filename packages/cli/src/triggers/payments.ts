/** Payments, refunds and payment methods, with the cards that play each part. */
import { silentPayment } from './routing.ts'
import { cards, declinedPayment, type Recipes, type World } from './world.ts'

const held = { capture_method: 'manual' } as const

export const paymentRecipes = {
  'payment_method.authorized': { how: 'verify a card', run: aMethod },
  'payment_method.attached': {
    how: 'verify a card, attach it to a customer',
    run: async ({ cardOf, customer }) => cardOf(await customer()),
  },
  'payment_method.updated': {
    how: 'verify a card, change what it is called',
    run: async (world) =>
      (await world.client.paymentMethods.update(await aMethod(world), { metadata: { order: '4711' } })).id,
  },
  'payment_method.detached': {
    how: 'verify a card, attach it, detach it',
    run: async ({ client, cardOf, customer }) =>
      (await client.paymentMethods.detach(await cardOf(await customer()))).id,
  },
  'payment.created': { how: 'pay with a good card', run: async ({ pay }) => (await pay()).id },
  'payment.succeeded': { how: 'pay with a good card', run: async ({ pay }) => (await pay()).id },
  'payment.updated': {
    how: 'pay, change the description',
    run: async ({ client, pay }) =>
      (await client.payments.update((await pay()).id, { description: 'Order 4711' })).id,
  },
  'payment.requires_action': {
    how: 'pay with a card that asks for 3-D Secure',
    run: async ({ pay }) =>
      (await pay(cards.asksPayer, { return_url: 'https://shop.example.com/thanks' })).id,
  },
  'payment.authorized': {
    how: 'pay with manual capture',
    run: async ({ pay }) => (await pay(cards.good, held)).id,
  },
  'payment.captured': {
    how: 'pay with manual capture, capture a part',
    run: async ({ client, pay }) =>
      (await client.payments.capture((await pay(cards.good, held)).id, { amount: 500, final: false })).id,
  },
  'payment.failed': {
    how: 'pay with a card that is declined',
    run: ({ pay }) => declinedPayment(pay(cards.declined)),
  },
  'payment.cancelled': {
    how: 'pay with manual capture, cancel',
    run: async ({ client, pay }) => (await client.payments.cancel((await pay(cards.good, held)).id)).id,
  },
  'payment.unresolved': {
    how: 'pay where the provider charges and then fails; it is told after ten seconds',
    run: silentPayment,
    waitSeconds: 60,
  },
  'payment.resolved': {
    how: 'pay where the provider charges and then fails; it is found out within two minutes',
    run: silentPayment,
    waitSeconds: 180,
  },
  'payment.needs_review': {
    how: 'pay with a card that is charged another amount',
    run: async ({ pay }) => (await pay(cards.chargesLess)).id,
  },
  'payment.conflict_detected': { why: 'A provider has to take money for something that ended long ago.' },
  'payment.authorization_expiring': {
    why: 'What is held has to be a day before its end, which is days away.',
  },
  'payment_attempt.declined': {
    how: 'pay with a card that is declined',
    run: ({ pay }) => declinedPayment(pay(cards.softlyDeclined)),
  },
  'payment_attempt.failed': {
    how: 'pay with a card whose provider cannot be reached',
    run: ({ pay }) => declinedPayment(pay(cards.unreachable)),
  },
  'refund.created': { how: 'pay, give it back', run: (world) => aRefund(world, cards.good) },
  'refund.succeeded': { how: 'pay, give it back', run: (world) => aRefund(world, cards.good) },
  'refund.failed': {
    how: 'pay with a card whose refunds fail, give it back',
    run: (world) => aRefund(world, cards.refundFails),
  },
  'refund.needs_review': { why: 'A provider has to be silent about a refund for a week.' },
} satisfies Recipes

async function aMethod({ client, token }: World): Promise<string> {
  return (await client.paymentMethods.create({ token: await token() })).id
}

async function aRefund({ client, pay }: World, number: string): Promise<string> {
  return (await client.refunds.create({ payment_id: (await pay(number)).id })).id
}
