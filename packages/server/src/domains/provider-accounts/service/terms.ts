/** What an account can do as it is set up, and whether anybody may pay on such terms. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import type { Provider, Terms } from '../../../providers/contract.ts'
import { faultOfTerms, termsOf } from '../../../providers/terms.ts'
import type { ProviderAccount } from '../provider-account.ts'

type SetUp = Pick<ProviderAccount, 'provider' | 'settings' | 'manifest'>

export function requireTerms(deps: Deps, account: SetUp): Terms {
  const { settings, manifest } = account
  const terms = termsOf(providerOf(deps, account), manifest === null ? settings : { ...settings, manifest })
  const fault = faultOfTerms(terms)
  return fault === null ? terms : refuseMember('/config', 'not_together', fault)
}

export function providerOf({ providers }: Deps, { provider }: Pick<ProviderAccount, 'provider'>): Provider {
  const found = providers.get(provider)
  assert(found !== undefined, `There are accounts of ${provider}, which is not in the registry any more.`)
  return found
}
