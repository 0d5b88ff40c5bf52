/**
 * What a provider calls a card, at rest. It comes before there is a method, so it is sealed under the id of the
 * payment by which the card is verified.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { transact, type View } from '../../../platform/db/unit-of-work.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { findPaymentMethod, listProviderTokens } from '../store.ts'

export function sealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  paymentId: Id<'payment'>,
  text: string,
): Promise<Buffer> {
  const caller = systemCaller({ workspaceId, id: paymentId })
  return transact(deps, caller, (tx) => deps.sealedBox.seal(tx.db, placeOf(workspaceId, paymentId), text))
}

/** For whoever sends it to that account. The token is null if the account has no name for the card. */
export async function findWithToken(
  deps: Deps,
  view: View,
  id: Id<'payment_method'>,
  accountId: Id<'provider_account'>,
): Promise<{ readonly method: PaymentMethod; readonly token: string | null }> {
  const [method, tokens] = await Promise.all([findPaymentMethod(view, id), listProviderTokens(view, id)])
  const sealed = tokens.find((one) => one.accountId === accountId)?.sealed
  if (sealed === undefined) return { method, token: null }
  const place = placeOf(view.caller.workspaceId, method.verifiedByPaymentId)
  return { method, token: await deps.sealedBox.open(view.db, place, sealed) }
}

function placeOf(workspaceId: Id<'workspace'>, rowId: Id<'payment'>) {
  return { workspaceId, table: 'payment_method_provider_tokens', column: 'sealed', rowId }
}
