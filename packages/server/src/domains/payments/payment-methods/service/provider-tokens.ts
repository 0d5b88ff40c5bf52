/**
 * Encrypts and decrypts provider tokens of saved cards. A token is received before its payment method exists,
 * so it is encrypted under the id of the payment that verifies the card.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { findSealedToken } from '../store/credentials.ts'
import { findPaymentMethod } from '../store.ts'

export function sealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  const caller = systemCaller({ workspaceId, id: paymentId })
  return transact(deps, caller, (tx) => sealProviderTokenIn(deps, tx, paymentId, text))
}

export function sealProviderTokenIn(
  { sealedBox }: Deps,
  tx: Tx,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  return sealedBox.seal(tx.db, locationOf(tx.caller.workspaceId, paymentId), text)
}

/** The payment method and its provider token at the account; the token is null if the account has none. */
export async function findMethodWithToken(
  deps: Deps,
  view: View,
  id: Id<'payment_method'>,
  accountId: Id<'provider_account'>,
): Promise<{ readonly method: PaymentMethod; readonly token: string | null }> {
  const [method, found] = await Promise.all([
    findPaymentMethod(view, id),
    findSealedToken(view, id, accountId),
  ])
  if (found === null) return { method, token: null }
  const location = locationOf(view.caller.workspaceId, found.paymentId ?? method.verifiedByPaymentId)
  return { method, token: await deps.sealedBox.open(view.db, location, found.sealed) }
}

function locationOf(workspaceId: Id<'workspace'>, rowId: Id<'payment'>) {
  return { workspaceId, table: 'payment_method_provider_tokens', column: 'sealed', rowId }
}
