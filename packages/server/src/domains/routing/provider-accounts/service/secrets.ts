/** Encrypts, rotates and decrypts the secrets of an account. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { providerAccountUpdated } from '../events.ts'
import type { ProviderAccount, RevealedAccount } from '../provider-account.ts'
import type { RotateSecret } from '../schema.ts'
import {
  activeSecretsAt,
  generateSecret,
  maxActiveSecrets,
  parseSecrets,
  type Secret,
  serializeSecrets,
} from '../secret.ts'
import { clearCredentialsRefusal } from '../store/health.ts'
import * as store from '../store.ts'
import { emitAccountEvent } from './account-details.ts'
import { changeAccount, requireTransition } from './change.ts'

type Account = Id<'provider_account'>

export function sealSecrets(deps: Deps, tx: Tx, id: Account, secrets: readonly Secret[]): Promise<Buffer> {
  return deps.sealedBox.seal(tx.db, locationOf(tx, id), serializeSecrets(secrets))
}

/** The active secrets, newest first. */
export async function openSecrets(deps: Deps, view: View, id: Account): Promise<readonly Secret[]> {
  const { credentials, now } = await store.findCredentials(view, id, deps.clock.read())
  assert(credentials !== null, 'Every account is created with a secret.')
  return activeSecretsAt(
    parseSecrets(await deps.sealedBox.open(view.db, locationOf(view, id), credentials)),
    now,
  )
}

/**
 * The new secret signs immediately. The previous one stays active for the overlap, so that the provider can
 * be reconfigured.
 */
export function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  { overlap_seconds = 86_400 }: RotateSecret,
): Promise<RevealedAccount> {
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'rotate_secret')
    const previous = overlap_seconds === 0 ? [] : await openSecrets(deps, tx, before.id)
    if (previous.length >= maxActiveSecrets) {
      refuse('too_many_secrets', {
        detail: `A provider account can have at most ${maxActiveSecrets} active secrets.`,
      })
    }
    const text = generateSecret()
    const endsAt = addSeconds(tx.now, overlap_seconds)
    const secrets = [{ text, endsAt: null }, ...previous.map((secret) => ({ ...secret, endsAt }))]
    const account = await store.updateAccount(tx, before, {
      credentials: await sealSecrets(deps, tx, before.id, secrets),
      secretRotatedAt: tx.now,
    })
    await clearCredentialsRefusal(tx, before.id)
    const after = await emitAccountEvent(deps, tx, providerAccountUpdated, { before, after: account })
    await recordAuditEntry(tx, 'provider_account.secret_rotated', {
      objectId: before.id,
      details: { overlap_seconds },
    })
    return { ...after, secret: secretFor(account, text) }
  })
}

/** Switchyard configures the secret of the simulator itself, so the secret is not shown. */
export function secretFor({ provider }: ProviderAccount, text: string): string | null {
  return provider === 'simulator' ? null : text
}

function locationOf({ caller }: View, rowId: Account): SecretLocation {
  return { workspaceId: caller.workspaceId, table: 'provider_accounts', column: 'credentials', rowId }
}
