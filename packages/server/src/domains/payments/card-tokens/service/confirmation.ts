/** Whether a workspace accepts card numbers, and the confirmation by an ADMIN. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { read, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
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

/** Must be called before a hosted page is offered, because it collects card numbers. */
export async function requireVaultForPages(deps: Deps, view: View): Promise<void> {
  if (view.caller.mode === 'test') return
  const { status, isSelected } = await currentVault(deps, view)
  if (status === 'disabled')
    refuse('raw_cards_disabled', { detail: isSelected ? pagesNeedVault : pagesNeedOwnVault })
}

const pagesNeedVault =
  'Payment links and checkout sessions need the vault in production, because their page collects card numbers. This workspace has no vault: GET /vault lists the missing steps.'
const pagesNeedOwnVault =
  'Payment links and checkout sessions collect card numbers, and this workspace does not take them: card_data.mode of GET /workspace is not own_vault. Create card tokens on your own page, with the fields of your provider or vault, or select own_vault and follow GET /vault.'

async function currentVault({ vaultLive: isAllowedByOperator }: Deps, view: View): Promise<Vault> {
  const { cardDataMode, confirmedAt } = await findVaultState(view)
  // Without a selected mode, the confirmation selects this vault.
  const isSelected = cardDataMode === null || cardDataMode === 'own_vault'
  return vaultOf(view.caller.mode, { isSelected, isAllowedByOperator, confirmedAt })
}
