/** The members of a link that anyone who has its URL may see. */

import { fieldsToCollect } from '../../../../kernel/cart.ts'
import { exponentOf } from '../../../../kernel/currency.ts'
import type { Mode } from '../../../../kernel/id.ts'
import type { Seller } from '../../../access/organizations/schema.ts'
import type { CardEntry, PaymentEntry } from '../../card-tokens/schema.ts'
import type { Status } from '../machine.ts'
import type { PaymentLink } from '../payment-link.ts'
import { presentCart, presentOffer, presentPublicItems, presentSavedMethods } from './cart.ts'

type PublicLink = PaymentEntry & {
  readonly link: PaymentLink
  readonly seller: Seller
  readonly status: Status
  /** Null unless a subscription is sold. */
  readonly offer: Parameters<typeof presentOffer>[0] | null
}

export function presentPublicLink(parts: PublicLink, mode: Mode) {
  const { link, seller, status, cardEntry, otherMethods, offer } = parts
  return {
    object: 'public_link',
    id: link.id,
    mode,
    status,
    seller,
    ...presentCart(link),
    ...(link.lineItems === null ? {} : { line_items: presentPublicItems(link) }),
    ...(offer === null ? {} : { amount: Number(offer.dueNow) }),
    checkout_mode: link.mode,
    subscription: offer === null ? null : presentOffer(offer),
    exponent: exponentOf(link.currency),
    collect: fieldsToCollect(link),
    custom_fields: link.customFields,
    saved_methods: presentSavedMethods(link, isCharged(link, offer), null),
    allow_promotion_codes: link.allowPromotionCodes,
    discounts: [],
    locale: link.locale,
    description: link.description,
    expires_at: link.expiresAt.toISOString(),
    card_entry: status === 'active' ? cardEntry : null,
    other_methods: status === 'active' ? otherMethods : [],
    ...testCardsFor(mode, cardEntry),
  }
}

/** A saved card can only be used if something is due now. */
function isCharged({ mode }: PaymentLink, offer: PublicLink['offer']): boolean {
  return mode === 'payment' || (offer !== null && offer.dueNow > 0n)
}

/** A few test cards to try the page. The documentation lists all test cards. */
const testCards = [
  { number: '4242424242424242', outcome: 'approved' },
  { number: '4000000030000006', outcome: 'authentication' },
  { number: '4000000000510000', outcome: 'declined' },
  { number: '4000000050040007', outcome: 'unknown' },
] as const

/** Only Switchyard's own card form accepts these test cards. Providers have their own test cards. */
export function testCardsFor(mode: Mode, cardEntry: CardEntry | null) {
  return mode === 'test' && cardEntry?.component === 'card_form' ? { test_cards: [...testCards] } : {}
}
