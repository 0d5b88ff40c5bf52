/** The identity of a payer, who is anonymous but has a signed slug or client secret. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { type VerifiedSession, verifyClientSecret } from '../client-secret.ts'

export { requireSlug } from '../../payment-links/service/public.ts'

/** The payer has the rights of a publishable token in the workspace of the link or session. */
export function callerForPayer({ requestId }: { readonly requestId: Id<'request'> }, ref: Ref): Caller {
  const request = { id: requestId, idempotencyKey: null, replay: null }
  return { ...systemCaller(ref), authority: 'publishable', request }
}

/**
 * Returns the session if the secret is valid and the API token belongs to the same workspace. The error does
 * not reveal which check failed.
 */
export function requireSessionOfCaller(
  { linkKeys }: Deps,
  { mode, workspaceId }: Caller,
  id: string,
  { 'checkout-secret': secret = '' }: Readonly<Record<string, string>>,
): VerifiedSession {
  const session = verifyClientSecret(linkKeys, mode, { id, secret })
  if (session?.workspaceId === workspaceId) return session
  return refuse('not_found', {
    detail: 'There is no such checkout session, or the secret belongs to another one.',
  })
}
