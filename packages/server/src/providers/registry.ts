/**
 * Every provider that there is. One whose unknown outcomes could never come to an end is not let in: its first
 * lost answer would block a payment for ever.
 */
import { assert } from '../kernel/assert.ts'
import { operationKinds, type Provider } from './contract.ts'
import { custom, simulator } from './custom/provider.ts'
import { faultOfTerms } from './terms.ts'

export type Registry = ReadonlyMap<string, Provider>

export const registry: Registry = registryOf([custom, simulator])

export function registryOf(providers: readonly Provider[]): Registry {
  const byId = new Map<string, Provider>()
  for (const provider of providers) {
    assert(!byId.has(provider.id), `Two providers are called ${provider.id}.`)
    const fault = faultOf(provider)
    assert(fault === null, `${provider.id} cannot be registered: ${fault}`)
    byId.set(provider.id, provider)
  }
  return byId
}

/** Why a provider must not be used; null if it may. */
export function faultOf(provider: Provider): string | null {
  return faultOfTerms(provider) ?? faultOfSteps(provider)
}

function faultOfSteps(provider: Provider): string | null {
  const { capabilities, resolve, operations } = provider
  const missing = operationKinds.filter((kind) => capabilities.kinds.includes(kind) && !operations[kind])
  if (missing.length > 0) return `It says that it can ${missing.join(', ')}, but not how.`
  if (resolve.lookup !== 'none' && !provider.lookup) return 'It says that it can be looked up, but not how.'
  if (resolve.close && !provider.close) return 'It says that it can close, but not how.'
  if (capabilities.threeDSecure && !provider.complete)
    return 'It says that it can do 3DS, but not how that is completed.'
  return null
}
