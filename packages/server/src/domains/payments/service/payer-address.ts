/** Where a payer goes to act, and comes back to. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { linkOf } from '../payer-link.ts'

/** It forwards to the provider's page. The provider sends the payer back to it, with `/return` behind. */
export function payerAddressOf(
  { addresses, linkKeys }: Deps,
  { workspaceId, mode }: Caller,
  id: Id<'payment'>,
): string {
  return `${addresses[mode]}/a/${linkOf(linkKeys, { workspaceId, id })}`
}
