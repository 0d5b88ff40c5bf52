/**
 * Creates, reads and changes provider accounts. Functions that take a `caller` open a transaction; functions
 * that take a `tx` or a `view` use the transaction of their caller.
 */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember, refuseMembers } from '../../../kernel/errors.ts'
import type { Id, Mode } from '../../../kernel/id.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { CostSegment, Setup } from '../../../providers/contract.ts'
import type { ProviderName } from '../../../providers/provider-names.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import { narrowCapabilities } from './capabilities.ts'
import { applyInput, checkedPart, defaults, isSame } from './changes.ts'
import { identityFaults, settingFaults } from './connector-input.ts'
import { costFaults } from './costs.ts'
import { emulatedSettings } from './emulated.ts'
import { providerAccountCreated, providerAccountUpdated } from './events.ts'
import { type Facts, factsNotInUse, providerAccountMachine, type Trigger } from './machine.ts'
import {
  type AccountDetails,
  type AccountSettings,
  type CardData,
  maxAccounts,
  type ProviderAccount,
  type RevealedAccount,
} from './provider-account.ts'
import type { CreateProviderAccount, UpdateProviderAccount } from './schema.ts'
import {
  emitAccountEvent,
  healthOf,
  loadAccountDetails,
  newHealth,
  withHealth,
} from './service/account-details.ts'
import { changeAccount, requireTransition } from './service/change.ts'
import { credentialNames, firstSecret, sealSecrets, secretFor } from './service/secrets.ts'
import { providerOf, requireProviderTerms } from './service/terms.ts'
import { findUnknownSetting, type Settings } from './settings.ts'
import {
  hasOpenOperation as hasOpenOperationAt,
  listRoutesUsing,
  type NamedRoute,
} from './store/account-usage.ts'
import { sumDays } from './store/health.ts'
import * as store from './store.ts'

export { lockAgainstArchiving } from './store/account-usage.ts'

export function createProviderAccount(
  deps: Deps,
  caller: Caller,
  input: CreateProviderAccount,
): Promise<RevealedAccount> {
  return changeAccount(deps, caller, (tx) => addProviderAccount(deps, tx, input))
}

/** Creates an account in the transaction of the caller. Its secret is only in the response. */
export async function addProviderAccount(
  deps: Deps,
  tx: Tx,
  input: CreateProviderAccount,
): Promise<RevealedAccount> {
  const { provider } = input
  requireProvider(deps, tx.caller, provider)
  const { isAtLimit, lastPosition } = await store.lockAccountLimit(tx)
  if (isAtLimit) {
    refuse('limit_reached', {
      detail: `Limit reached: a workspace can have at most ${maxAccounts} provider accounts.`,
    })
  }
  const newSettings = withEmulatedSettings(
    deps,
    provider,
    applyInput({ ...defaults, position: lastPosition + 1 }, input),
  )
  requireSettings(deps, tx.caller, provider, newSettings)
  if (newSettings.settings.emulated === true) requireEmulator(deps, tx.caller.mode)
  const secret = firstSecret(deps, tx.caller, input)
  const { capabilities } = requireProviderTerms(deps, tx.caller.mode, {
    provider,
    settings: newSettings.settings,
    manifest: null,
  })

  const id = tx.newId('provider_account')
  const account = await store.insertAccount(tx, {
    ...newSettings,
    id,
    provider,
    cardData: requireCardData(deps, input),
    credentials: await sealSecrets(deps, tx, id, [secret]),
    credentialNames: credentialNames(input, secret),
    capabilities: narrowCapabilities(capabilities, newSettings.narrowing),
  })
  const after = withHealth(deps, tx.caller.mode, account, newHealth)
  tx.emit(providerAccountCreated, { after })
  await recordAuditEntry(tx, 'provider_account.created', { objectId: id, details: { provider } })
  return { ...after, secret: secretFor(account, [secret]) }
}

export function getProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  return read(deps, caller, async (view) =>
    loadAccountDetails(deps, view, await store.requireAccount(view, id)),
  )
}

export function listProviderAccounts(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listAccounts(view, range)
    const ids = rows.map(({ id }) => id)
    const health = await healthOf(deps, view, ids)
    const withHealthOf = (account: ProviderAccount) =>
      withHealth(deps, caller.mode, account, health(account.id))
    return { rows: rows.map(withHealthOf), hasMore }
  })
}

export function updateProviderAccount(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateProviderAccount & { readonly ifMatch: number | null },
): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'update')
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const newSettings = applyInput(before, input)
    // Nothing changed, so no event is emitted.
    if (isSame(newSettings, before)) return loadAccountDetails(deps, tx, before)

    requireSameIdentity(deps, before, newSettings)
    requireSettings(deps, caller, before.provider, newSettings)
    const isSameCheck = checkedPart({ ...before, ...newSettings }) === checkedPart(before)
    const checkResult = isSameCheck
      ? { manifest: before.manifest, check: before.check }
      : { manifest: null, check: null }
    const { capabilities } = requireProviderTerms(deps, caller.mode, {
      ...before,
      ...checkResult,
      settings: newSettings.settings,
    })
    const account = await store.updateAccount(tx, before, {
      ...newSettings,
      ...checkResult,
      capabilities: narrowCapabilities(capabilities, newSettings.narrowing),
    })
    const after = await emitAccountEvent(deps, tx, providerAccountUpdated, { before, after: account })
    await recordAuditEntry(tx, 'provider_account.updated', { objectId: before.id })
    return after
  })
}

export function enableProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) =>
    transition(deps, tx, await store.lockAccount(tx, id), 'enable'),
  )
}

/** The account receives no new payments. Captures, refunds and pending outcomes of existing ones continue. */
export function disableProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) =>
    transition(deps, tx, await store.lockAccount(tx, id), 'disable'),
  )
}

/** Archives permanently. Secrets are kept: the provider may still send webhooks about earlier payments. */
export function archiveProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    const after = await transition(deps, tx, before, 'archive', await requireNotInUse(tx, before))
    if (before.status !== after.status) {
      await recordAuditEntry(tx, 'provider_account.archived', { objectId: before.id })
    }
    return after
  })
}

/** The error names the routes that use the account, or says that an operation is still in progress. */
async function requireNotInUse(tx: Tx, { id, status }: ProviderAccount): Promise<Facts> {
  const [hasOpenOperation, routes] = [await hasOpenOperationAt(tx, id), await listRoutesUsing(tx, id)]
  const facts = { hasOpenOperation, isUsedByRoute: routes.length > 0 }
  if (status === 'archived' || !(facts.hasOpenOperation || facts.isUsedByRoute)) return facts
  return refuse('invalid_state', {
    detail: facts.isUsedByRoute ? routesDetail(routes) : 'An operation at this account is still in progress.',
    current_status: status,
    allowed_actions: allowedActions(providerAccountMachine, status, facts),
  })
}

const maxNamedRoutes = 5

function routesDetail(routes: readonly NamedRoute[]): string {
  const named = routes.slice(0, maxNamedRoutes).map(({ id, name }) => `"${name}" (${id})`)
  const others = routes.length > maxNamedRoutes ? ` and ${routes.length - maxNamedRoutes} more` : ''
  const subject = routes.length === 1 ? 'A published payment route sends' : 'Published payment routes send'
  return `${subject} payments to this account: ${named.join(', ')}${others}.`
}

/** The accounts a payment may use, in the default order. Callers have to check `hold`. */
export function listCandidates(view: View): Promise<readonly ProviderAccount[]> {
  return store.listActive(view)
}

/** The costs of all accounts that have any, in any status: past payments may belong to archived accounts. */
export function listCosts(view: View): Promise<ReadonlyMap<string, readonly CostSegment[]>> {
  return store.listCosts(view)
}

/** Authorization attempts of each account by day, the last 24 hours first. */
export function attemptsByDay(
  tx: Tx,
  ids: readonly Id<'provider_account'>[],
  days: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  return sumDays(tx, ids, days)
}

/** All accounts, in any status: an archived one may have been active after the restored point in time. */
export function listAccountIds(view: View): Promise<readonly Id<'provider_account'>[]> {
  return store.listIds(view)
}

/** In any status; null if the workspace has no such account. */
export function findAccount(view: View, id: string): Promise<ProviderAccount | null> {
  return store.findAccount(view, id)
}

/** The only function that changes `status`. The caller has locked the account. */
async function transition(
  deps: Deps,
  tx: Tx,
  before: ProviderAccount,
  trigger: Trigger,
  facts: Facts = factsNotInUse,
): Promise<AccountDetails> {
  const row = nextTransition(providerAccountMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return loadAccountDetails(deps, tx, before)

  const hold = row.effects.includes('end_hold') ? null : before.hold
  const after = await store.updateAccount(tx, before, { status: row.to, hold })
  return emitAccountEvent(deps, tx, providerAccountUpdated, { before, after })
}

function requireProvider({ simulatorUrl, providers }: Deps, { mode }: Caller, provider: ProviderName): void {
  assert(providers.has(provider), `There is no provider ${provider}: add it to the registry.`)
  if (provider !== 'simulator') return
  if (mode === 'live')
    refuse('test_mode_only', {
      detail: 'The simulator moves no money: it is available in the test environment only.',
    })
  if (simulatorUrl === null)
    refuseMember('/provider', 'not_in_list', 'is not available: this installation runs no simulator')
}

/** Adds the settings that an emulated account needs. */
function withEmulatedSettings(deps: Deps, provider: ProviderName, account: AccountSettings): AccountSettings {
  const { setup } = providerOf(deps, { provider })
  const { settings } = account
  if (setup === undefined || settings.emulated !== true) return account
  return { ...account, settings: { ...settings, settings: emulatedSettings(setup, settings.settings ?? {}) } }
}

/** Providers that accept only their own tokens never receive a card number. */
function requireCardData(deps: Deps, { provider, card_data, config }: CreateProviderAccount): CardData {
  const { setup } = providerOf(deps, { provider })
  if (setup?.cardData !== 'token') {
    const needsApproval = setup?.cardNumbersNeedApproval === true && config?.emulated !== true
    return card_data ?? (needsApproval ? 'token' : 'pan')
  }
  return card_data === 'pan'
    ? refuseMember('/card_data', 'not_in_list', `must be token: ${setup.name} accepts only its own tokens`)
    : 'token'
}

/**
 * Settings that select the merchant account cannot change. Neither can the address: otherwise credentials,
 * which are never shown, could be sent to a different address.
 */
function requireSameIdentity(deps: Deps, before: ProviderAccount, { settings }: AccountSettings): void {
  const { setup } = providerOf(deps, before)
  if (setup === undefined) return
  if ((before.settings.emulated === true) !== (settings.emulated === true))
    refuseMember(
      '/config/emulated',
      'not_together',
      'cannot be changed: create another provider account instead',
    )
  if (before.settings.base_url !== settings.base_url)
    refuseMember(
      '/config/base_url',
      'not_together',
      'cannot be changed: create another provider account instead',
    )
  const faults = identityFaults(setup, before.settings.settings ?? {}, settings.settings ?? {})
  if (faults.length > 0) refuseMembers(faults)
}

/**
 * Validation beyond the schema: members that depend on the provider, and limits that depend on each other.
 */
function requireSettings(
  deps: Deps,
  { mode }: Caller,
  provider: ProviderName,
  { settings, narrowing, costs }: AccountSettings,
): void {
  const unknownSetting = findUnknownSetting(provider, settings)
  if (unknownSetting !== null)
    refuseMember(`/config/${unknownSetting}`, 'unknown_member', `is not a setting of ${provider}`)
  const { amount } = narrowing
  if (amount !== undefined && amount.min > amount.max) {
    refuseMember('/capabilities/amount/max', 'too_small', 'must be greater than or equal to min')
  }
  const faults = costFaults(costs)
  if (faults.length > 0) refuseMembers(faults)
  const { setup } = providerOf(deps, { provider })
  if (setup !== undefined) requireConnectorSettings(setup, mode, settings)
  const { base_url: url } = settings
  if (provider === 'custom' && url === undefined)
    refuseMember('/config/base_url', 'required', 'is required for a custom provider')
  if (url !== undefined) requireAllowedUrl(deps, mode, url)
}

function requireConnectorSettings(
  setup: Setup,
  mode: Mode,
  { settings = {}, base_url: url }: Settings,
): void {
  if (mode === 'live' && url !== undefined)
    refuseMember(
      '/config/base_url',
      'not_together',
      `cannot be set in the live environment, where the address of ${setup.name} is always used`,
    )
  // The live API of the provider could otherwise be used from the test environment.
  if (url !== undefined && isBelow(url, setup.domains))
    refuseMember(
      '/config/base_url',
      'not_together',
      `must not be an address of ${setup.name}: leave it out to use its sandbox`,
    )
  const faults = settingFaults(setup, mode, settings)
  if (faults.length > 0) refuseMembers(faults)
}

function isBelow(url: string, domains: readonly string[]): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '')
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

function requireEmulator({ simulatorUrl }: Deps, mode: Mode): void {
  if (mode === 'live')
    refuse('test_mode_only', {
      detail: 'Emulated providers move no money: they are available in the test environment only.',
    })
  if (simulatorUrl === null)
    refuseMember('/config/emulated', 'not_in_list', 'is not available: this installation runs no simulator')
}

function requireAllowedUrl({ outbound }: Deps, mode: Mode, url: string): void {
  const detail = outbound.faultOf(url, mode)
  if (detail === null) return
  const errors = [{ pointer: '/config/base_url', code: 'bad_format', detail } as const]
  refuse('url_not_allowed', { detail, errors })
}
