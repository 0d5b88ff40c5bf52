/**
 * What a provider calls a card, at rest. It comes before there is a method, so it is sealed under the id of the
 * payment by which the card is verified.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { read, transact } from '../../../platform/db/unit-of-work.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { listProviderTokens } from '../store.ts'

export function sealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  const caller = systemCaller({ workspaceId, id: paymentId })
  return transact(deps, caller, (tx) => deps.sealedBox.seal(tx.db, placeOf(workspaceId, paymentId), text))
}

/** For whoever sends it to that account. Null if the account has no name for the card, or it is forgotten. */
export function revealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  { id, verifiedByPaymentId }: Pick<PaymentMethod, 'id' | 'verifiedByPaymentId'>,
  accountId: Id<'provider_account'>,
): Promise<string | null> {
  return read(deps, systemCaller({ workspaceId, id }), async (view) => {
    const tokens = await listProviderTokens(view, id)
    const token = tokens.find((one) => one.accountId === accountId)
    if (token === undefined) return null
    return deps.sealedBox.open(view.db, placeOf(workspaceId, verifiedByPaymentId), token.sealed)
  })
}

function placeOf(workspaceId: Id<'workspace'>, rowId: Id<'payment'>) {
  return { workspaceId, table: 'payment_method_provider_tokens', column: 'sealed', rowId }
}
