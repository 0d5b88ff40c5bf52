/** Payments, refunds and payment methods, with the test card for each outcome. */
import { setTimeout as sleep } from 'node:timers/promises'
import { payWithUnknownOutcome } from './routing.ts'
import { cards, idOfDeclinedPayment, type Recipes, type TriggerContext } from './trigger-context.ts'

const manualCapture = { capture_method: 'manual' } as const

export const paymentRecipes = {
  'payment_method.authorized': { how: 'verify a card', run: createPaymentMethod },
  'payment_method.attached': {
    how: 'verify a card, attach it to a customer',
    run: async ({ attachCard, createCustomer }) => attachCard(await createCustomer()),
  },
  'payment_method.updated': {
    how: 'verify a card, update its metadata',
    run: async (context) =>
      (
        await context.client.paymentMethods.update(await createPaymentMethod(context), {
          metadata: { order: '4711' },
        })
      ).id,
  },
  'payment_method.detached': {
    how: 'verify a card, attach it, detach it',
    run: async ({ client, attachCard, createCustomer }) =>
      (await client.paymentMethods.detach(await attachCard(await createCustomer()))).id,
  },
  'payment.created': { how: 'pay with a good card', run: async ({ pay }) => (await pay()).id },
  'payment.succeeded': { how: 'pay with a good card', run: async ({ pay }) => (await pay()).id },
  'payment.updated': {
    how: 'pay, update the description',
    run: async ({ client, pay }) =>
      (await client.payments.update((await pay()).id, { description: 'Order 4711' })).id,
  },
  'payment.requires_action': {
    how: 'pay with a card that requires 3-D Secure',
    run: async ({ pay }) =>
      (await pay(cards.requires3ds, { return_url: 'https://shop.example.com/thanks' })).id,
  },
  'payment.authorized': {
    how: 'pay with manual capture',
    run: async ({ pay }) => (await pay(cards.good, manualCapture)).id,
  },
  'payment.captured': {
    how: 'pay with manual capture, capture a part',
    run: async ({ client, pay }) =>
      (
        await client.payments.capture((await pay(cards.good, manualCapture)).id, {
          amount: 500,
          final: false,
        })
      ).id,
  },
  'payment.failed': {
    how: 'pay with a card that is declined',
    run: ({ pay }) => idOfDeclinedPayment(pay(cards.declined)),
  },
  'payment.cancelled': {
    how: 'pay with manual capture, cancel',
    run: async ({ client, pay }) =>
      (await client.payments.cancel((await pay(cards.good, manualCapture)).id)).id,
  },
  'payment.unresolved': {
    how: 'pay at a provider that charges the card and then fails; the event follows after ten seconds',
    run: payWithUnknownOutcome,
    waitSeconds: 60,
  },
  'payment.resolved': {
    how: 'pay at a provider that charges the card and then fails, check the payment until its outcome is known; this takes half a minute',
    run: payAndCheck,
    waitSeconds: 180,
  },
  'payment.needs_review': {
    how: 'pay with a card that is charged a different amount',
    run: async ({ pay }) => (await pay(cards.chargesLess)).id,
  },
  'payment.conflict_detected': { why: 'A provider has to charge for a payment that has already ended.' },
  'payment.authorization_expiring': {
    why: 'It occurs a day before an authorization expires, which is days away.',
  },
  'payment.reversed': {
    how: 'debit a bank account whose debits are returned; the event follows after four seconds',
    run: debitAndReturn,
    waitSeconds: 60,
  },
  'payment_attempt.declined': {
    how: 'pay with a card that is declined',
    run: ({ pay }) => idOfDeclinedPayment(pay(cards.softlyDeclined)),
  },
  'payment_attempt.failed': {
    how: 'pay with a card whose provider cannot be reached',
    run: ({ pay }) => idOfDeclinedPayment(pay(cards.unreachable)),
  },
  'refund.created': { how: 'pay, refund it', run: (context) => createRefund(context, cards.good) },
  'refund.succeeded': { how: 'pay, refund it', run: (context) => createRefund(context, cards.good) },
  'refund.failed': {
    how: 'pay with a card whose refunds fail, refund it',
    run: (context) => createRefund(context, cards.refundFails),
  },
  'refund.needs_review': { why: 'The outcome of a refund has to stay unknown for a week.' },
} satisfies Recipes

const maxCheckSeconds = 60

/** Checks the payment every second. The outcome must be unknown for ten seconds first; otherwise there is no event. */
async function payAndCheck(context: TriggerContext): Promise<string> {
  const { client, signal } = context
  const id = await payWithUnknownOutcome(context)
  let isReported = false
  for (let seconds = 0; seconds < maxCheckSeconds; seconds += 1) {
    await sleep(1_000, undefined, { signal })
    const { data } = await client.events.list({ object_id: id }).page()
    isReported ||= data.some(({ type }) => type === 'payment.unresolved')
    if (isReported && (await client.payments.check(id, { signal })).status !== 'processing') break
  }
  return id
}

/** The simulator settles the debit after two seconds, and returns it two seconds later. */
async function debitAndReturn({ client }: TriggerContext): Promise<string> {
  const { id: token } = await client.tokens.create({
    type: 'sepa_debit',
    sepa_debit: {
      iban: 'DE32370400440532018003',
      account_holder_name: 'Ada Lovelace',
      email: 'ada@example.com',
      mandate: { text_version: '2026-11' },
    },
  })
  return (await client.payments.create({ amount: 1299, currency: 'eur', token })).id
}

async function createPaymentMethod({ client, createToken }: TriggerContext): Promise<string> {
  return (await client.paymentMethods.create({ token: await createToken() })).id
}

async function createRefund({ client, pay }: TriggerContext, number: string): Promise<string> {
  return (await client.refunds.create({ payment_id: (await pay(number)).id })).id
}
