/** The secrets of an account: sealed, rotated, and opened for those who call its provider. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Place } from '../../../platform/sealed-box.ts'
import { recordAct } from '../../audit/service.ts'
import { providerAccountUpdated } from '../events.ts'
import type { ProviderAccount, RevealedAccount } from '../provider-account.ts'
import type { RotateSecret } from '../schema/secret.ts'
import { drawSecret, fromText, liveAt, maxLiveSecrets, type Secret, toText } from '../secret.ts'
import * as store from '../store.ts'
import { admit, change } from './change.ts'
import { tell } from './shown.ts'

type Account = Id<'provider_account'>

export function sealSecrets(deps: Deps, tx: Tx, id: Account, secrets: readonly Secret[]): Promise<Buffer> {
  return deps.sealedBox.seal(tx.db, placeOf(tx, id), toText(secrets))
}

/** Those that live, the newest first. */
export async function openSecrets(deps: Deps, view: View, id: Account): Promise<readonly Secret[]> {
  const { credentials, now } = await store.findCredentials(view, id, deps.clock.read())
  assert(credentials !== null, 'An account has a secret from its creation on.')
  return liveAt(fromText(await deps.sealedBox.open(view.db, placeOf(view, id), credentials)), now)
}

/** The new one signs at once. The earlier one goes on beside it, so that the provider can be changed meanwhile. */
export function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  { overlap_seconds = 86_400 }: RotateSecret,
): Promise<RevealedAccount> {
  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    admit(before, 'rotate_secret')
    const staying = overlap_seconds === 0 ? [] : await openSecrets(deps, tx, before.id)
    if (staying.length >= maxLiveSecrets) {
      refuse('too_many_secrets', {
        detail: `A provider account has at most ${maxLiveSecrets} secrets at once.`,
      })
    }
    const text = drawSecret()
    const endsAt = addSeconds(tx.now, overlap_seconds)
    const secrets = [{ text, endsAt: null }, ...staying.map((secret) => ({ ...secret, endsAt }))]
    const account = await store.updateAccount(tx, before, {
      credentials: await sealSecrets(deps, tx, before.id, secrets),
      secretRotatedAt: tx.now,
    })
    const after = await tell(deps, tx, providerAccountUpdated, { before, after: account })
    await recordAct(tx, 'provider_account.secret_rotated', {
      objectId: before.id,
      details: { overlap_seconds },
    })
    return { ...after, secret: secretFor(account, text) }
  })
}

/** The simulator is told its secret by us, so there is nobody to show it to. */
export function secretFor({ provider }: ProviderAccount, text: string): string | null {
  return provider === 'simulator' ? null : text
}

function placeOf({ caller }: View, rowId: Account): Place {
  return { workspaceId: caller.workspaceId, table: 'provider_accounts', column: 'credentials', rowId }
}
