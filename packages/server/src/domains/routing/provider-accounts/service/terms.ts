/**
 * The terms of an account: its capabilities, and how unknown outcomes are resolved. They follow from its provider,
 * settings and manifest. Terms with which payments are impossible are rejected.
 */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Provider, Terms } from '../../../../providers/contract.ts'
import { faultOfTerms, termsOf } from '../../../../providers/terms.ts'
import type { ProviderAccount } from '../provider-account.ts'

type ProviderSetup = Pick<ProviderAccount, 'provider' | 'settings' | 'manifest'>

export function requireProviderTerms(deps: Deps, account: ProviderSetup): Terms {
  const { settings, manifest } = account
  const terms = termsOf(providerOf(deps, account), manifest === null ? settings : { ...settings, manifest })
  const fault = faultOfTerms(terms)
  return fault === null ? terms : refuseMember('/config', 'not_together', fault)
}

export function providerOf({ providers }: Deps, { provider }: Pick<ProviderAccount, 'provider'>): Provider {
  const registered = providers.get(provider)
  assert(registered !== undefined, `The provider ${provider} has accounts: keep it in the registry.`)
  return registered
}
