/** Holds: an account receives no new payments until the hold ends. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { providerAccountHeld, providerAccountReleased } from '../events.ts'
import type { AccountDetails, Hold, ProviderAccount } from '../provider-account.ts'
import type { HoldProviderAccount } from '../schema.ts'
import * as store from '../store.ts'
import { emitAccountEvent, loadAccountDetails } from './account-details.ts'
import { changeAccount, requireTransition } from './change.ts'

export function holdProviderAccount(
  deps: Deps,
  caller: Caller,
  id: string,
  { reason, until_at }: HoldProviderAccount,
): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'hold')
    const untilAt = new Date(until_at)
    if (untilAt <= tx.now) refuseMember('/until_at', 'too_small', 'must be in the future')
    if (isSame(before.hold, { reason, untilAt })) return loadAccountDetails(deps, tx, before)

    const after = await store.updateAccount(tx, before, { hold: { reason, untilAt } })
    return emitAccountEvent(deps, tx, providerAccountHeld, { before, after })
  })
}

function isSame(current: Hold | null, { reason, untilAt }: Hold): boolean {
  return current?.reason === reason && current.untilAt.getTime() === untilAt.getTime()
}

export function releaseProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'release')
    return before.hold === null ? loadAccountDetails(deps, tx, before) : release(deps, tx, before)
  })
}

/** Worker: releases an account whose hold has reached its end. */
export async function endHold(deps: Deps, ref: Ref<'provider_account'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockAccount(tx, ref.id)
    // A message may be late or a duplicate. The row shows whether there is anything to do.
    if (before.hold !== null && before.hold.untilAt <= tx.now) await release(deps, tx, before)
  })
}

async function release(deps: Deps, tx: Tx, before: ProviderAccount): Promise<AccountDetails> {
  const after = await store.updateAccount(tx, before, { hold: null })
  return emitAccountEvent(deps, tx, providerAccountReleased, { before, after })
}
