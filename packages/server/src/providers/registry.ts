/**
 * All providers. A provider whose unknown outcomes could never be resolved is not accepted: its first lost
 * response would block a payment forever.
 */
import { assert } from '../kernel/assert.ts'
import { connectors } from './connectors.ts'
import { operationKinds, type Provider } from './contract.ts'
import { custom, simulator } from './custom/provider.ts'
import { faultOfTerms } from './terms.ts'

export type Registry = ReadonlyMap<string, Provider>

export const registry: Registry = registryOf([simulator, custom, ...connectors])

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

/** The reason why a provider must not be used; null if it may be used. */
export function faultOf(provider: Provider): string | null {
  return faultOfTerms(provider) ?? faultOfSteps(provider)
}

function faultOfSteps(provider: Provider): string | null {
  const { capabilities, resolve, operations } = provider
  const missing = operationKinds.filter((kind) => capabilities.kinds.includes(kind) && !operations[kind])
  if (missing.length > 0) return `It declares ${missing.join(', ')}, but does not implement it.`
  if (resolve.lookup !== 'none' && !provider.lookup) return 'It declares lookup, but does not implement it.'
  if (resolve.close && !provider.close) return 'It declares close, but does not implement it.'
  if (capabilities.threeDSecure && !provider.complete)
    return 'It declares 3DS, but does not implement complete.'
  return null
}
