/** Encrypts, rotates and decrypts the secrets of an account. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import type { ProviderName } from '../../../../providers/provider-names.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { credentialFaults, valueFaults } from '../connector-input.ts'
import {
  type Credentials,
  credentialsIn,
  maxValuesPerName,
  rotateCredentials,
  secretOf,
} from '../credentials.ts'
import { emulatedCredentials } from '../emulated.ts'
import { providerAccountUpdated } from '../events.ts'
import { isConnector, type ProviderAccount, type RevealedAccount } from '../provider-account.ts'
import type { CreateProviderAccount, RotateSecret } from '../schema.ts'
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
import { providerOf } from './terms.ts'

type Account = Id<'provider_account'>

export function sealSecrets(deps: Deps, tx: Tx, id: Account, secrets: readonly Secret[]): Promise<Buffer> {
  return deps.sealedBox.seal(tx.db, locationOf(tx, id), serializeSecrets(secrets))
}

/** The active secrets, newest first. */
export async function openSecrets(deps: Deps, view: View, id: Account): Promise<readonly Secret[]> {
  const { credentials, now } = await store.findCredentials(view, id, deps.clock.read())
  assert(credentials !== null, 'Every account must have a secret: it is created with one.')
  return activeSecretsAt(
    parseSecrets(await deps.sealedBox.open(view.db, locationOf(view, id), credentials)),
    now,
  )
}

/**
 * The first secret of an account: the credentials of a connector, or a generated one that is shared with a custom
 * provider.
 */
export function firstSecret(
  deps: Deps,
  { mode }: Caller,
  input: Pick<CreateProviderAccount, 'provider' | 'credentials' | 'config'>,
): Secret {
  const { provider } = input
  const { setup } = providerOf(deps, { provider })
  if (setup === undefined) {
    refuseCredentials(provider, input.credentials)
    return { text: generateSecret(), endsAt: null }
  }
  const isEmulated = input.config?.emulated === true
  if (isEmulated && input.credentials !== undefined)
    return refuseMember(
      '/credentials',
      'not_together',
      'cannot be combined with emulated: they are generated',
    )
  const credentials = isEmulated ? emulatedCredentials(setup) : (input.credentials ?? {})
  const faults = credentialFaults(setup, mode, credentials)
  return faults.length > 0 ? refuseMembers(faults) : secretOf(credentials)
}

/**
 * The new secret is used immediately. The previous one stays active for the overlap, so that the provider can be
 * reconfigured.
 */
export function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  input: RotateSecret,
): Promise<RevealedAccount> {
  const { overlap_seconds = 86_400 } = input
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'rotate_secret')
    const secrets = await secretsAfterRotation(deps, tx, before, { ...input, overlap_seconds })
    requireSecretsWithinLimit(before, secrets)
    const account = await store.updateAccount(tx, before, {
      credentials: await sealSecrets(deps, tx, before.id, secrets),
      secretRotatedAt: tx.now,
      ...credentialChanges(before, secrets),
      ...(replacesCallCredential(deps, before, input) ? { callCredentialsChangedAt: tx.now } : {}),
    })
    await clearCredentialsRefusal(tx, before.id)
    const after = await emitAccountEvent(deps, tx, providerAccountUpdated, { before, after: account })
    await recordAuditEntry(tx, 'provider_account.secret_rotated', {
      objectId: before.id,
      details: { overlap_seconds, ...namesIn(input.credentials) },
    })
    return { ...after, secret: secretFor(account, secrets) }
  })
}

function requireSecretsWithinLimit(account: ProviderAccount, secrets: readonly Secret[]): void {
  const isOfConnector = isConnector(account)
  const count = isOfConnector ? maxValuesPerName(secrets) : secrets.length
  if (count <= maxActiveSecrets) return
  refuse('too_many_secrets', {
    detail: isOfConnector
      ? `A credential can have at most ${maxActiveSecrets} active values. Use overlap_seconds 0 to end the previous ones.`
      : `A provider account can have at most ${maxActiveSecrets} active secrets.`,
  })
}

async function secretsAfterRotation(
  deps: Deps,
  tx: Tx,
  before: ProviderAccount,
  { credentials, overlap_seconds }: Required<Pick<RotateSecret, 'overlap_seconds'>> & RotateSecret,
): Promise<readonly Secret[]> {
  const endsAt = overlap_seconds === 0 ? null : addSeconds(tx.now, overlap_seconds)
  const { setup } = providerOf(deps, before)
  if (setup === undefined) {
    refuseCredentials(before.provider, credentials)
    const previous = endsAt === null ? [] : await openSecrets(deps, tx, before.id)
    return [{ text: generateSecret(), endsAt: null }, ...previous.map((secret) => ({ ...secret, endsAt }))]
  }
  if (credentials === undefined)
    return refuseMember('/credentials', 'required', `is required for ${setup.name}`)
  const faults = valueFaults(setup, tx.caller.mode, credentials)
  if (faults.length > 0) refuseMembers(faults)
  const active = await openSecrets(deps, tx, before.id)
  return rotateCredentials(setup, { active, changes: credentials, endsAt })
}

function replacesCallCredential(
  deps: Deps,
  account: ProviderAccount,
  { credentials = {} }: RotateSecret,
): boolean {
  const { setup } = providerOf(deps, account)
  return setup?.credentials.some(({ name, use }) => use === 'call' && name in credentials) ?? false
}

/** After a change of the credentials of a connector, the check result is no longer valid. */
function credentialChanges(account: ProviderAccount, [newest]: readonly Secret[]) {
  return isConnector(account) ? { credentialNames: credentialNames(account, newest), check: null } : {}
}

/** The names of a connector's credentials. */
export function credentialNames(
  account: Pick<ProviderAccount, 'provider'>,
  secret: Secret | undefined,
): readonly string[] {
  return isConnector(account) && secret !== undefined ? Object.keys(credentialsIn(secret)).toSorted() : []
}

/** For the audit log: the names of the new credentials. */
function namesIn(credentials: Credentials | undefined) {
  return credentials === undefined ? {} : { credentials: Object.keys(credentials).toSorted().join(', ') }
}

function refuseCredentials(provider: ProviderName, credentials: Credentials | undefined): void {
  if (credentials === undefined) return
  const detail =
    provider === 'simulator'
      ? 'cannot be set for the simulator, which needs none'
      : 'cannot be set for a custom provider: Switchyard generates its secret'
  refuseMember('/credentials', 'unknown_member', detail)
}

/** Only a secret that is shared with a custom provider is shown. Switchyard configures the simulator. */
export function secretFor(
  { provider }: Pick<ProviderAccount, 'provider'>,
  [newest]: readonly Secret[],
): string | null {
  return provider === 'custom' ? (newest?.text ?? null) : null
}

function locationOf({ caller }: View, rowId: Account): SecretLocation {
  return { workspaceId: caller.workspaceId, table: 'provider_accounts', column: 'credentials', rowId }
}
