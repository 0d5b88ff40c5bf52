/**
 * The page on which a customer replaces their card. Customers have no API token: the slug in the URL is
 * signed.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../kernel/id.ts'
import { readSlug } from '../../../kernel/object-slug.ts'
import { findSeller } from '../../access/organizations/service.ts'
import { openCardUpdate } from '../../payments/checkout-sessions/service/open-card-update.ts'
import { getCustomer } from '../../payments/customers/service.ts'
import { renderCardPage } from './card-page.ts'

export { callerForPayer } from '../../payments/checkout-sessions/service/payer.ts'

const missing = 'There is no such page.'

/** An invalid slug is refused without a database query. */
export function requireCustomerPage({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'customer'> {
  return readSlug(linkKeys, 'customer', mode, slug) ?? refuse('not_found', { detail: missing })
}

/** `sessionId` is in the URL if the customer returns from the payment page after storing a card. */
export async function showCardPage(
  deps: Deps,
  caller: Caller,
  { id, workspaceId }: Ref<'customer'>,
  sessionId: string | undefined,
): Promise<string> {
  const { locale } = await getCustomer(deps, caller, id)
  return renderCardPage({
    seller: await findSeller(deps, workspaceId),
    locale,
    isTest: caller.mode === 'test',
    isStored: sessionId !== undefined,
    url: deps.pagesOf(workspaceId).cardPage(id) ?? refuse('not_found', { detail: missing }),
  })
}

/** The URL of a new checkout session. A session is opened only when the customer presses the button. */
export function openCardSession(
  deps: Deps,
  caller: Caller,
  { id, workspaceId }: Ref<'customer'>,
): Promise<string> {
  return openCardUpdate(deps, caller, id, deps.pagesOf(workspaceId).cardPage(id))
}
