/** Who says that a workspace takes card numbers, and whether it does. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { read, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { recordAct } from '../../audit/service.ts'
import type { ConfirmVault } from '../schema.ts'
import { findConfirmation, insertConfirmation } from '../store/confirmations.ts'
import { confirmation, type Vault, vaultOf } from '../vault.ts'

export function getVault(deps: Deps, caller: Caller): Promise<Vault> {
  return read(deps, caller, (view) => stateOf(deps, view))
}

/** In the test environment too, where it changes nothing, so that it can be tried. */
export function confirmVault(deps: Deps, caller: Caller, input: ConfirmVault): Promise<Vault> {
  if (input.confirmation !== confirmation) {
    refuseMember('/confirmation', 'not_in_list', 'must be the sentence that GET /vault shows, word for word')
  }
  return transact(deps, caller, async (tx) => {
    if (await insertConfirmation(tx, confirmation)) {
      await recordAct(tx, 'vault.confirmed', { objectId: caller.workspaceId, details: { confirmation } })
    }
    return stateOf(deps, tx)
  })
}

/** Before a number is looked at. */
export async function requireOpenVault(deps: Deps, view: View): Promise<void> {
  const { status } = await stateOf(deps, view)
  if (status === 'disabled') refuse('raw_cards_disabled')
}

async function stateOf({ vaultLive }: Deps, view: View): Promise<Vault> {
  return vaultOf(view.caller.mode, vaultLive, await findConfirmation(view))
}
