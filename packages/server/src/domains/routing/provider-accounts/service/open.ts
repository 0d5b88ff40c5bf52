/** Opens accounts: decrypts their secrets to call their providers. Cached in memory for a few seconds. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { type Id, modeOf } from '../../../../kernel/id.ts'
import type { Cache } from '../../../../platform/cache.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { connectorConfig, requireMatchingConfig } from '../../../../providers/connector-config.ts'
import type { ConnectorConfig, Provider, Setup } from '../../../../providers/contract.ts'
import { credentialsIn } from '../credentials.ts'
import type { ProviderAccount } from '../provider-account.ts'
import type { Secret } from '../secret.ts'
import * as store from '../store.ts'
import { webhookUrlOf } from './account-details.ts'
import { cacheKeyOf } from './change.ts'
import { openSecrets } from './secrets.ts'
import { configureSimulator, simulatorAccountUrl } from './simulator.ts'
import { providerOf } from './terms.ts'

export type OpenAccount = {
  readonly account: ProviderAccount
  readonly provider: Provider
  /** The configuration of the provider, including secrets. It must not be logged or stored. */
  readonly config: object
}

declare module '../../../../deps.ts' {
  interface Caches {
    /** Accounts with decrypted secrets. Read only by `openAccount`. */
    readonly openAccounts: Cache<OpenAccount>
  }
}

/**
 * Opens an account in any status: existing payments are completed even after it was archived. The result may
 * be as old as the cache allows; changes made by this process are visible immediately. Must not be called in
 * a transaction.
 */
export function openAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'provider_account'>,
): Promise<OpenAccount> {
  return deps.openAccounts.get(cacheKeyOf(workspaceId, id), () => open(deps, workspaceId, id))
}

async function open(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'provider_account'>,
): Promise<OpenAccount> {
  const { account, secrets } = await read(deps, systemCaller({ workspaceId, id }), async (view) => ({
    account: await store.requireAccount(view, id),
    secrets: await openSecrets(deps, view, id),
  }))
  const provider = providerOf(deps, account)
  const config =
    provider.setup === undefined
      ? await protocolConfig(deps, account, secrets)
      : requireMatchingConfig(provider, await configOfConnector(deps, provider.setup, account, secrets))
  return { account, provider, config }
}

async function configOfConnector(
  deps: Deps,
  setup: Setup,
  account: ProviderAccount,
  secrets: readonly Secret[],
): Promise<ConnectorConfig> {
  const { id, provider, settings } = account
  const mode = modeOf(id)
  const credentials = secrets.map(credentialsIn)
  if (settings.emulated === true)
    await configureSimulator(deps, account, { dialect: provider, credentials: credentials[0] ?? {} })
  return connectorConfig(setup, {
    mode,
    settings: settings.settings ?? {},
    baseUrl: settings.emulated === true ? emulatorUrl(deps, setup, account) : settings.base_url,
    webhookUrl: webhookUrlOf(deps.addresses[mode], id),
    credentials,
  })
}

/** The URL of the account at the simulator, followed by the path of the provider's own base URL. */
function emulatorUrl(deps: Deps, setup: Setup, { id, settings }: ProviderAccount): string {
  const { pathname } = new URL(setup.baseUrl('test', settings.settings ?? {}))
  return `${simulatorAccountUrl(deps, id)}${pathname}`
}

/** The configuration of a custom provider or the simulator, which use the same protocol. */
async function protocolConfig(
  deps: Deps,
  account: ProviderAccount,
  activeSecrets: readonly Secret[],
): Promise<object> {
  const secrets = activeSecrets.map(({ text }) => text)
  const manifest = account.manifest === null ? {} : { manifest: account.manifest }
  const isSimulator = account.provider === 'simulator'
  if (isSimulator) await configureSimulator(deps, account, { secrets })
  const address = isSimulator ? { base_url: simulatorAccountUrl(deps, account.id) } : {}
  return { ...account.settings, ...manifest, ...address, secrets }
}
