/** The addresses of the hosted pages of customers. Each ends with the id of its object and a signature. */
import { type Id, modeOf } from './id.ts'
import { slugOf } from './object-slug.ts'
import type { SigningKeys } from './signature.ts'

type Addresses = {
  readonly addresses: { readonly live: string; readonly test: string }
  readonly linkKeys: SigningKeys
}

export function customerPagesOf({ addresses, linkKeys }: Addresses, workspaceId: Id<'workspace'>) {
  const address = addresses[modeOf(workspaceId)]
  return {
    /** Shows and pays an invoice. */
    invoicePage: (id: Id<'invoice'>) => `${address}/i/${slugOf(linkKeys, { workspaceId, id })}`,
    /** Replaces the card of a customer. */
    cardPage: (id: Id<'customer'>) => `${address}/u/${slugOf(linkKeys, { workspaceId, id })}`,
    /** Accepts cancellations and withdrawals from all subscribers. */
    cancellationPage: () => `${address}/k/${slugOf(linkKeys, { workspaceId, id: workspaceId })}`,
    /** Confirms one cancellation request. Only e-mails to the customer contain this address. */
    confirmationPage: (id: Id<'cancellation_request'>) =>
      `${address}/kc/${slugOf(linkKeys, { workspaceId, id })}`,
  }
}
