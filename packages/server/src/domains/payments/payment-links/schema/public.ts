/** The members of a link that everyone who has its URL may see. */

import { fieldsToCollect } from '../../../../kernel/cart.ts'
import { exponentOf } from '../../../../kernel/currency.ts'
import type { Mode } from '../../../../kernel/id.ts'
import type { Seller } from '../../../access/organizations/schema.ts'
import type { CardEntry } from '../../card-tokens/schema.ts'
import type { Status } from '../machine.ts'
import type { PaymentLink } from '../payment-link.ts'
import { presentCart, presentOffer } from './cart.ts'

type PublicLink = {
  readonly link: PaymentLink
  readonly seller: Seller
  readonly status: Status
  readonly cardEntry: CardEntry | null
  /** Null unless a subscription is sold. */
  readonly offer: Parameters<typeof presentOffer>[0] | null
}

export function presentPublicLink({ link, seller, status, cardEntry, offer }: PublicLink, mode: Mode) {
  return {
    object: 'public_link',
    id: link.id,
    mode,
    status,
    seller,
    ...presentCart(link),
    ...(offer === null ? {} : { amount: Number(offer.dueNow) }),
    checkout_mode: link.mode,
    subscription: offer === null ? null : presentOffer(offer),
    exponent: exponentOf(link.currency),
    collect: fieldsToCollect(link),
    custom_fields: link.customFields,
    locale: link.locale,
    description: link.description,
    expires_at: link.expiresAt.toISOString(),
    card_entry: status === 'active' ? cardEntry : null,
    ...testCardsFor(mode, cardEntry),
  }
}

/** A few test cards to try the page. The documentation lists all test cards. */
const testCards = [
  { number: '4242424242424242', outcome: 'approved' },
  { number: '4000000030000006', outcome: 'authentication' },
  { number: '4000000000510000', outcome: 'declined' },
  { number: '4000000050040007', outcome: 'unknown' },
] as const

/** Only the form of the page accepts test cards of Switchyard. Providers have their own. */
export function testCardsFor(mode: Mode, cardEntry: CardEntry | null) {
  return mode === 'test' && cardEntry?.component === 'card_form' ? { test_cards: [...testCards] } : {}
}
