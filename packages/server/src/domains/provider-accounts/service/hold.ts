/** Holds: an account gets nothing new for a while, and always gets it again. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { providerAccountHeld, providerAccountReleased } from '../events.ts'
import type { Hold, ProviderAccount, ShownAccount } from '../provider-account.ts'
import type { HoldProviderAccount } from '../schema.ts'
import * as store from '../store.ts'
import { admit, change } from './change.ts'
import { shown, tell } from './shown.ts'

export function holdProviderAccount(
  deps: Deps,
  caller: Caller,
  id: string,
  { reason, until_at }: HoldProviderAccount,
): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    admit(before, 'hold')
    const untilAt = new Date(until_at)
    if (untilAt <= tx.now) refuseMember('/until_at', 'too_small', 'must lie in the future')
    if (isSame(before.hold, { reason, untilAt })) return shown(deps, tx, before)

    const after = await store.updateAccount(tx, before, { hold: { reason, untilAt } })
    return tell(deps, tx, providerAccountHeld, { before, after })
  })
}

function isSame(held: Hold | null, { reason, untilAt }: Hold): boolean {
  return held?.reason === reason && held.untilAt.getTime() === untilAt.getTime()
}

export function releaseProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    admit(before, 'release')
    return before.hold === null ? shown(deps, tx, before) : release(deps, tx, before)
  })
}

/** Work: the end of a hold has come. */
export async function endHold(deps: Deps, ref: Ref<'provider_account'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockAccount(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.hold !== null && before.hold.untilAt <= tx.now) await release(deps, tx, before)
  })
}

async function release(deps: Deps, tx: Tx, before: ProviderAccount): Promise<ShownAccount> {
  const after = await store.updateAccount(tx, before, { hold: null })
  return tell(deps, tx, providerAccountReleased, { before, after })
}
