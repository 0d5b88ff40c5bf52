/** What a payer may see of a session, and nothing else. */
import { type Static, Type } from 'typebox'
import type { LineItem as Item } from '../../../kernel/cart.ts'
import { exponentOf } from '../../../kernel/currency.ts'
import type { Mode } from '../../../kernel/id.ts'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import type { Seller } from '../../organizations/schema.ts'
import { askedMembers, cartMembers, LineItem, presentCart } from '../../payment-links/schema/cart.ts'
import { testCardsIn } from '../../payment-links/schema/public.ts'
import { type Payment, paymentStatuses } from '../../payments/schema/payment.ts'
import { type Status, statuses } from '../machine.ts'
import { type CheckoutSession, triesLeft } from '../session.ts'

const SellerObject = Type.Object({
  name: Type.String({ description: 'What payers call the seller.', examples: ['Café Zürich'] }),
  logo_url: nullable(Type.String({ description: 'A `data:` address.' })),
  accent_color: nullable(Type.String({ description: 'The colour of the button.', examples: ['#0b5fff'] })),
  accent_text_color: nullable(Type.String({ description: 'Black or white: what can be read on it.' })),
})

const PublicPayment = Type.Object({
  status: OneOf(paymentStatuses, { description: 'That of the payment.' }),
  amount: cartMembers.amount,
  currency: cartMembers.currency,
  next_action: nullable(
    Type.Object(
      { url: Type.String({ description: 'Where the payer has to go.' }) },
      { description: 'What the payer has to do.' },
    ),
  ),
  failure: nullable(
    Type.Object(
      {
        advice_code: Type.String({ description: 'What the payer can do.', examples: ['other_method'] }),
        message: Type.String({ description: 'A sentence for the payer, in English.' }),
      },
      { description: 'Why it failed.' },
    ),
  ),
  unknown: Type.Boolean({ description: 'It is not known what became of it. The payer must not pay again.' }),
  card: nullable(
    Type.Object(
      {
        brand: Type.String({ description: 'The network of the card.' }),
        last4: Type.String({ description: 'The last four digits.' }),
      },
      { description: 'What may be shown of the card.' },
    ),
  ),
  paid_at: mostlyNull(Time),
  reference: Type.String({ description: 'What the payer can name when asking about it.' }),
  statement_descriptor: nullable(
    Type.String({ description: 'What the payer reads on the statement of the card.' }),
  ),
})

const TestCard = Type.Object({
  number: Type.String({ description: 'To be typed.' }),
  outcome: OneOf(['approved', 'authentication', 'declined', 'unknown'], { description: 'What comes of it.' }),
})

export const PublicSessionObject = Type.Object(
  {
    object: Type.Literal('public_session'),
    id: IdOf('checkout_session'),
    mode: OneOf(['live', 'test'], { description: 'Whether real money moves.' }),
    status: OneOf(statuses, { description: 'Only one that is `open` can be paid.' }),
    amount: cartMembers.amount,
    currency: cartMembers.currency,
    exponent: Type.Integer({ description: 'How many decimal places the currency has.', examples: [2] }),
    open_amount: cartMembers.open_amount,
    items: Type.Array(
      Type.Object({
        ...LineItem.properties,
        amount: Type.Integer({ description: 'What all of them cost.', examples: [1299] }),
      }),
      { description: 'What is bought.' },
    ),
    seller: { ...SellerObject, description: 'Who is paid.' },
    description: nullable(Type.String({ description: 'What it is for.' })),
    ...askedMembers,
    locale: nullable(Type.String({ description: 'The language of the page (BCP 47).' })),
    tries_left: Type.Integer({ description: 'How many more cards may be declined.', examples: [5] }),
    payment: nullable({ ...PublicPayment, description: 'The payment that was tried last.' }),
    payment_link_id: nullable(IdOf('payment_link')),
    success_url: nullable(Type.String({ description: 'Where the payer goes after paying.' })),
    success_message: nullable(Type.String({ description: 'What the page says after paying.' })),
    cancel_url: nullable(Type.String({ description: 'Where a payer goes who does not want to pay.' })),
    receipt_email: nullable(Type.String({ description: 'Where the receipt goes.' })),
    expires_at: Time,
    test_cards: Type.Optional(
      Type.Array(TestCard, { description: 'In the test environment: cards to try it with.' }),
    ),
  },
  { $id: 'PublicCheckoutSession', description: 'A checkout session as its payer may see it.' },
)

export type SessionView = {
  readonly session: CheckoutSession
  /** As it is now, also if that is not written down yet. */
  readonly status: Status
  readonly payment: Payment | null
  readonly seller: Seller
}

export function presentPublic(view: SessionView, mode: Mode): Static<typeof PublicSessionObject> {
  const { session, status, payment, seller } = view
  const { amount, currency, open_amount, line_items } = presentCart(session)
  return {
    object: 'public_session',
    id: session.id,
    mode,
    status,
    amount,
    currency,
    exponent: exponentOf(currency),
    open_amount,
    items: (line_items ?? []).map(presentItem),
    seller: { ...seller },
    description: session.description,
    collect: [...session.collect],
    custom_fields: session.customFields.map((field) => ({ ...field, options: [...field.options] })),
    locale: session.locale,
    tries_left: triesLeft(session),
    payment: payment === null ? null : presentPayment(session, payment),
    payment_link_id: session.paymentLinkId,
    success_url: withSession(session.successUrl, session.id),
    success_message: session.successMessage,
    cancel_url: session.cancelUrl,
    receipt_email: session.payer?.email ?? null,
    expires_at: session.expiresAt.toISOString(),
    ...testCardsIn(mode),
  }
}

const presentItem = (item: Item) => ({ ...item, amount: item.unit_amount * item.quantity })

function presentPayment(session: CheckoutSession, payment: Payment): Static<typeof PublicPayment> {
  const { nextAction, failure } = payment
  return {
    status: payment.status,
    amount: Number(payment.amount),
    currency: payment.currency,
    next_action: nextAction === null ? null : { url: nextAction.url },
    failure: failure === null ? null : { advice_code: failure.advice_code, message: failure.message },
    unknown: payment.unresolvedSinceAt !== null || payment.review !== null,
    card: { brand: payment.card.brand, last4: payment.card.last4 },
    paid_at: session.completedAt?.toISOString() ?? null,
    reference: payment.id,
    statement_descriptor: payment.statementDescriptor,
  }
}

/** So that the shop knows whom to thank. */
function withSession(url: string | null, id: string): string | null {
  const address = url === null ? null : URL.parse(url)
  if (address === null) return null
  address.searchParams.set('checkout_session_id', id)
  return address.href
}
