/** The members of a link that everyone who has its URL may see. */

import { fieldsToCollect } from '../../../../kernel/cart.ts'
import { exponentOf } from '../../../../kernel/currency.ts'
import type { Mode } from '../../../../kernel/id.ts'
import type { Seller } from '../../../access/organizations/schema.ts'
import type { Status } from '../machine.ts'
import type { PaymentLink } from '../payment-link.ts'
import { presentCart } from './cart.ts'

export function presentPublicLink(
  { link, seller, status }: { readonly link: PaymentLink; readonly seller: Seller; readonly status: Status },
  mode: Mode,
) {
  return {
    object: 'public_link',
    id: link.id,
    mode,
    status,
    seller,
    ...presentCart(link),
    checkout_mode: link.mode,
    exponent: exponentOf(link.currency),
    collect: fieldsToCollect(link),
    custom_fields: link.customFields,
    locale: link.locale,
    description: link.description,
    expires_at: link.expiresAt.toISOString(),
    ...testCardsFor(mode),
  }
}

/** A few test cards to try the page. The documentation lists all test cards. */
const testCards = [
  { number: '4242424242424242', outcome: 'approved' },
  { number: '4000000030000006', outcome: 'authentication' },
  { number: '4000000000510000', outcome: 'declined' },
  { number: '4000000050040007', outcome: 'unknown' },
] as const

export function testCardsFor(mode: Mode) {
  return mode === 'test' ? { test_cards: [...testCards] } : {}
}
