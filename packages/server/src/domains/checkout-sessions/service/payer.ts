/** Who a payer is: nobody we know, with an address or a secret that we made. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { readSecret } from '../client-secret.ts'

export { requireSlug } from '../../payment-links/service/public.ts'

/** May do what a publishable token may, in the workspace of what was proven. */
export function callerOfPayer({ requestId }: { readonly requestId: Id<'request'> }, ref: Ref): Caller {
  const request = { id: requestId, idempotencyKey: null, replay: null }
  return { ...systemCaller(ref), authority: 'publishable', request }
}

/** The session, if the secret is its own and the token of the same workspace. Otherwise nobody learns which. */
export function requireOwn(
  { linkKeys }: Deps,
  { mode, workspaceId }: Caller,
  id: string,
  { 'checkout-secret': secret = '' }: Readonly<Record<string, string>>,
): Ref<'checkout_session'> {
  const session = readSecret(linkKeys, mode, { id, secret })
  if (session?.workspaceId === workspaceId) return session
  return refuse('not_found', { detail: 'There is no such checkout session, or the secret is not its own.' })
}
