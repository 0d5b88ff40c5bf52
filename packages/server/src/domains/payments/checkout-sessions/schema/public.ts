/** The members of a session that its payer may see. */
import { type Static, Type } from 'typebox'
import { exponentOf } from '../../../../kernel/currency.ts'
import type { Mode } from '../../../../kernel/id.ts'
import { IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../../kernel/shapes.ts'
import { isRedirect, methodTypes } from '../../../../providers/contract.ts'
import type { Seller } from '../../../access/organizations/schema.ts'
import { type CardEntry, CardEntryObject, type OtherMethod, OtherMethods } from '../../card-tokens/schema.ts'
import {
  Mode as CheckoutMode,
  cartMembers,
  Offer,
  PublicItem,
  PublicSavedMethods,
  payerDetailsMembers,
  presentCart,
  presentOffer,
  presentPublicItems,
  presentSavedMethods,
  promotionCodesMember,
  type SavedCard,
} from '../../payment-links/schema/cart.ts'
import { testCardsFor } from '../../payment-links/schema/public.ts'
import { type Payment, paymentStatuses } from '../../payments/schema/payment.ts'
import { type Status, statuses } from '../machine.ts'
import { presentAmount } from '../schema.ts'
import { type CheckoutSession, shownDiscounts, triesLeft } from '../session.ts'

const SellerObject = Type.Object({
  name: Type.String({ description: 'Name of the seller, as shown to payers.', examples: ['Café Zürich'] }),
  logo_url: nullable(Type.String({ description: 'Logo as a `data:` URL. Null if there is none.' })),
  accent_color: nullable(
    Type.String({ description: 'Color of the pay button. Null: the default color.', examples: ['#0b5fff'] }),
  ),
  accent_text_color: nullable(
    Type.String({ description: 'Text color on the pay button: black or white, whichever is readable.' }),
  ),
})

const PublicPayment = Type.Object({
  status: OneOf(paymentStatuses, { description: 'Status of the payment.' }),
  amount: cartMembers.amount,
  currency: cartMembers.currency,
  next_action: nullable(
    Type.Object(
      { url: Type.String({ description: 'URL to redirect the payer to.' }) },
      { description: 'Action that the payer must complete. Null if there is none.' },
    ),
  ),
  failure: nullable(
    Type.Object(
      {
        advice_code: Type.String({
          description: 'Recommended next step for the payer.',
          examples: ['other_method'],
        }),
        message: Type.String({ description: 'Message that can be shown to the payer, in English.' }),
      },
      { description: 'Why the payment failed. Null if it did not fail.' },
    ),
  ),
  unknown: Type.Boolean({
    description:
      'Whether the outcome of the payment is unknown. The payer must not pay again while it is true.',
  }),
  payment_method_type: OneOf(methodTypes, { description: 'Type of the payment method.' }),
  card: nullable(
    Type.Object(
      {
        brand: Type.String({ description: 'Card brand, e.g. `visa`.' }),
        last4: Type.String({ description: 'Last four digits of the card number.' }),
      },
      { description: 'Card or bank account, as it can be displayed. Null for other methods.' },
    ),
  ),
  paid_at: nullableWithNullExample({
    ...Time,
    description: 'Time of the payment. Null if it has not succeeded.',
  }),
  reference: Type.String({
    description: 'Reference that the payer can quote when asking about the payment.',
  }),
  statement_descriptor: nullable(
    Type.String({ description: "Text on the payer's card statement. Null if unknown." }),
  ),
})

const TestCard = Type.Object({
  number: Type.String({ description: 'Card number to enter.' }),
  outcome: OneOf(['approved', 'authentication', 'declined', 'unknown'], {
    description: 'Outcome of a payment with this card.',
  }),
})

export const PublicSessionObject = Type.Object(
  {
    object: Type.Literal('public_session'),
    id: IdOf('checkout_session'),
    mode: OneOf(['live', 'test'], { description: '`live`: real money is charged. `test`: no money moves.' }),
    checkout_mode: CheckoutMode,
    status: OneOf(statuses, { description: 'Only an `open` session can be paid.' }),
    amount: cartMembers.amount,
    currency: cartMembers.currency,
    exponent: Type.Integer({ description: 'Number of decimal places of the currency.', examples: [2] }),
    open_amount: cartMembers.open_amount,
    items: Type.Array(PublicItem, { description: 'Line items.' }),
    subscription: nullableWithNullExample(Offer),
    seller: { ...SellerObject, description: 'Seller that receives the payment.' },
    description: nullable(Type.String({ description: 'Description shown to the payer.' })),
    ...payerDetailsMembers,
    saved_methods: PublicSavedMethods,
    ...promotionCodesMember,
    discounts: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the coupon.', examples: ['Spring offer'] }),
        amount: Type.Integer({ description: 'Amount that it takes off, in minor units.', examples: [200] }),
      }),
      { description: 'Discounts of the promotion code that the payer entered.', examples: [[]] },
    ),
    locale: nullable(
      Type.String({ description: 'Language of the page (BCP 47). Null: the language of the browser.' }),
    ),
    tries_left: Type.Integer({
      description: 'Number of payments that may still fail before the session expires.',
      examples: [5],
    }),
    payment: nullable({
      ...PublicPayment,
      description: 'Latest payment of the session. Null if there is none.',
    }),
    payment_link_id: nullable(IdOf('payment_link')),
    success_url: nullable(
      Type.String({ description: 'URL that the payer is redirected to after paying. Null: no redirect.' }),
    ),
    success_message: nullable(
      Type.String({ description: 'Message shown after paying. Null if there is none.' }),
    ),
    cancel_url: nullable(Type.String({ description: 'URL for a payer who cancels. Null if there is none.' })),
    card_entry: nullable(CardEntryObject),
    other_methods: OtherMethods,
    receipt_email: nullable(
      Type.String({ description: 'Email address that the receipt is sent to. Null if there is none.' }),
    ),
    expires_at: { ...Time, description: 'Expiry time of the session.' },
    test_cards: Type.Optional(
      Type.Array(TestCard, { description: 'Test cards to pay with. Only in the test environment.' }),
    ),
  },
  { $id: 'PublicCheckoutSession', description: 'The parts of a checkout session that the payer may see.' },
)

export type SessionView = {
  readonly session: CheckoutSession
  /** The current status. A session that has just expired may still be stored as `open`. */
  readonly status: Status
  readonly payment: Payment | null
  readonly seller: Seller
  /** Null if the session is not open, or the workspace cannot take cards on a page. */
  readonly cardEntry: CardEntry | null
  /** The methods other than cards; empty if the session is not open. */
  readonly otherMethods: readonly OtherMethod[]
  /** Null unless a subscription is sold. */
  readonly offer: Parameters<typeof presentOffer>[0] | null
  /** Null if the payer has to enter a code first. */
  readonly savedCards: readonly Static<typeof SavedCard>[] | null
}

export function presentPublic(view: SessionView, mode: Mode): Static<typeof PublicSessionObject> {
  const { session, status, payment, seller, cardEntry, otherMethods, offer } = view
  const { currency, open_amount } = presentCart(session)
  const { amount } = presentAmount(session)
  return {
    object: 'public_session',
    id: session.id,
    mode,
    checkout_mode: session.mode,
    status,
    // A subscription may charge less than its items now: nothing before a trial ends.
    amount: offer === null ? amount : Number(offer.dueNow),
    currency,
    exponent: exponentOf(currency),
    open_amount,
    items: presentPublicItems(session),
    subscription: offer === null ? null : presentOffer(offer),
    seller: { ...seller },
    description: session.description,
    collect: [...session.collect],
    custom_fields: session.customFields.map((field) => ({ ...field, options: [...field.options] })),
    saved_methods: presentSavedMethods(session, isCharged(view), view.savedCards),
    allow_promotion_codes: session.allowPromotionCodes,
    discounts: shownDiscounts(session),
    locale: session.locale,
    tries_left: triesLeft(session),
    payment: payment === null ? null : presentPayment(session, payment),
    payment_link_id: session.paymentLinkId,
    success_url: withSessionId(session.successUrl, session.id),
    success_message: session.successMessage,
    cancel_url: session.cancelUrl,
    receipt_email: session.payer?.email ?? null,
    expires_at: session.expiresAt.toISOString(),
    card_entry: cardEntry === null ? null : { ...cardEntry, config: { ...cardEntry.config } },
    other_methods: [...otherMethods],
    ...testCardsFor(mode, cardEntry),
  }
}

/** A saved card can only be used if something is due now. */
function isCharged({ session: { mode }, status, offer }: SessionView): boolean {
  return status === 'open' && (mode === 'payment' || (offer !== null && offer.dueNow > 0n))
}

function presentPayment(session: CheckoutSession, payment: Payment): Static<typeof PublicPayment> {
  const { nextAction, failure } = payment
  return {
    status: publicStatusOf(session, payment),
    amount: Number(payment.amount),
    currency: payment.currency,
    next_action: nextAction === null ? null : { url: nextAction.url },
    failure: failure === null ? null : { advice_code: failure.advice_code, message: failure.message },
    unknown: payment.unresolvedSinceAt !== null || payment.review !== null,
    payment_method_type: payment.methodType,
    card: isRedirect(payment.methodType) ? null : { brand: payment.card.brand, last4: payment.card.last4 },
    paid_at: session.completedAt?.toISOString() ?? null,
    reference: payment.id,
    statement_descriptor: payment.statementDescriptor,
  }
}

/** A cancelled payment may have been charged and refunded. Payers see it as cancelled. */
function publicStatusOf({ status, pendingPaymentId }: CheckoutSession, payment: Payment): Payment['status'] {
  const isCancelled =
    payment.cancelRequestedAt !== null && pendingPaymentId === null && status !== 'completed'
  return isCancelled ? 'cancelled' : payment.status
}

/** Adds the session id, so that the shop can identify the session. */
function withSessionId(url: string | null, id: string): string | null {
  const address = url === null ? null : URL.parse(url)
  if (address === null) return null
  address.searchParams.set('checkout_session_id', id)
  return address.href
}
