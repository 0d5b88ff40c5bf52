/** Whether a workspace accepts card numbers, and the confirmation by an ADMIN. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { read, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { type CardDataMode, defaultCardDataMode } from '../../../access/organizations/service/card-data.ts'
import type { ConfirmVault } from '../schema.ts'
import { findVaultState, insertConfirmation } from '../store/confirmations.ts'
import { confirmation, type Vault, vaultOf } from '../vault.ts'

export function getVault(deps: Deps, caller: Caller): Promise<Vault> {
  return read(deps, caller, (view) => currentVault(deps, view))
}

/** Also accepted in test mode, where it has no effect, so that integrations can try it. */
export function confirmVault(deps: Deps, caller: Caller, input: ConfirmVault): Promise<Vault> {
  if (input.confirmation !== confirmation) {
    refuseMember('/confirmation', 'not_in_list', 'must be exactly the sentence that GET /vault returns')
  }
  return transact(deps, caller, async (tx) => {
    if (await insertConfirmation(tx, confirmation)) {
      await recordAuditEntry(tx, 'vault.confirmed', {
        objectId: caller.workspaceId,
        details: { confirmation },
      })
    }
    return currentVault(deps, tx)
  })
}

/** Must be called before a card number is processed. */
export async function requireEnabledVault(deps: Deps, view: View): Promise<void> {
  const { status } = await currentVault(deps, view)
  if (status === 'disabled') refuse('raw_cards_disabled')
}

type CurrentVault = Vault & { readonly cardDataMode: CardDataMode }

export async function currentVault(
  { vaultLive: isAllowedByOperator }: Deps,
  view: View,
): Promise<CurrentVault> {
  const { mode } = view.caller
  const { cardDataMode: selected, confirmedAt } = await findVaultState(view)
  const cardDataMode = (selected as CardDataMode | null) ?? defaultCardDataMode(mode, confirmedAt !== null)
  // Without a selected mode, the confirmation selects this vault.
  const isSelected = selected === null || selected === 'own_vault'
  return { ...vaultOf(mode, { isSelected, isAllowedByOperator, confirmedAt }), cardDataMode }
}
