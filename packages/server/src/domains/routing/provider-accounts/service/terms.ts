/**
 * The terms of an account: its capabilities, and how unknown outcomes are resolved. They follow from its
 * provider, settings and manifest. Terms that make payments impossible are rejected.
 */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Mode } from '../../../../kernel/id.ts'
import { connectorConfig } from '../../../../providers/connector-config.ts'
import type { Provider, Terms } from '../../../../providers/contract.ts'
import { faultOfTerms, termsOf } from '../../../../providers/terms.ts'
import type { ProviderAccount } from '../provider-account.ts'

type ProviderSetup = Pick<ProviderAccount, 'provider' | 'settings' | 'manifest'>

export function requireProviderTerms(deps: Deps, mode: Mode, account: ProviderSetup): Terms {
  const terms = providerTerms(deps, mode, account)
  const fault = faultOfTerms(terms)
  return fault === null ? terms : refuseMember('/config', 'not_together', fault)
}

export function providerTerms(deps: Deps, mode: Mode, account: ProviderSetup): Terms {
  const provider = providerOf(deps, account)
  return termsOf(provider, configWithoutSecrets(provider, mode, account))
}

function configWithoutSecrets(
  { setup }: Provider,
  mode: Mode,
  { settings, manifest }: ProviderSetup,
): object {
  if (setup === undefined) return manifest === null ? settings : { ...settings, manifest }
  const { settings: named = {}, base_url: baseUrl } = settings
  return connectorConfig(setup, { mode, settings: named, baseUrl, webhookUrl: '', credentials: [] })
}

export function providerOf({ providers }: Deps, { provider }: Pick<ProviderAccount, 'provider'>): Provider {
  const registered = providers.get(provider)
  assert(registered !== undefined, `The provider ${provider} has accounts: keep it in the registry.`)
  return registered
}
