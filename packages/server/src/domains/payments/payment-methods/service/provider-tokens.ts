/**
 * Encrypts and decrypts provider tokens of saved cards. A token is received before its payment method exists,
 * so it is encrypted under the id of the payment that verifies the card.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { transactAfterCall } from '../../../../platform/db/resumable.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import type { ChargedMethod } from '../store.ts'

/** Called with a token in the response of a provider. */
export function sealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  const caller = systemCaller({ workspaceId, id: paymentId })
  return transactAfterCall(deps, caller, (tx) => sealProviderTokenIn(deps, tx, paymentId, text))
}

export function sealProviderTokenIn(
  { sealedBox }: Deps,
  tx: Tx,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  return sealedBox.seal(tx.db, locationOf(tx.caller.workspaceId, paymentId), text)
}

/** The provider token of the payment method at the account; null if the account has none. */
export async function openProviderToken(
  deps: Deps,
  caller: Caller,
  { method, sealedTokens }: ChargedMethod,
  accountId: Id<'provider_account'>,
): Promise<string | null> {
  const found = sealedTokens.get(accountId)
  if (found === undefined) return null
  const location = locationOf(caller.workspaceId, found.paymentId ?? method.verifiedByPaymentId)
  return (
    deps.sealedBox.openWithCachedKey(location, found.sealed) ??
    read(deps, caller, (view) => deps.sealedBox.open(view.db, location, found.sealed))
  )
}

function locationOf(workspaceId: Id<'workspace'>, rowId: Id<'payment'>) {
  return { workspaceId, table: 'payment_method_provider_tokens', column: 'sealed', rowId }
}
