/** The URL for payer authentication, which is the `url` of `next_action`. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { createPayerLink } from '../payer-link.ts'

/**
 * The URL redirects to the provider page. The provider sends the payer back to the same URL with `/return`
 * appended.
 */
export function payerUrlOf(
  { addresses, linkKeys }: Deps,
  { workspaceId, mode }: Caller,
  id: Id<'payment'>,
): string {
  return `${addresses[mode]}/a/${createPayerLink(linkKeys, { workspaceId, id })}`
}
