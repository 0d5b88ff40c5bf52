/**
 * Resolves names. Node's `dns.lookup` runs in the small thread pool that also reads files, so a few names
 * that never resolve would block everything; this resolver queries the name servers directly. It uses neither
 * the hosts file nor search domains.
 */
import { Resolver } from 'node:dns/promises'

export type FoundAddress = { readonly address: string; readonly family: number }

/** Returns every address of the name, or rejects. */
export type Lookup = (hostname: string) => Promise<readonly FoundAddress[]>

const queryOptions = { timeout: 1_000, tries: 2, maxTimeout: 1_500 }

/**
 * Uses the servers configured on the machine by default. They are read each time, because they may change.
 */
export function nameServerLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    // Some name servers do not resolve this name, and none may redirect it to another machine.
    if (hostname === 'localhost') return toAddresses(['127.0.0.1'], ['::1'])

    const resolver = new Resolver(queryOptions)
    if (servers !== undefined) resolver.setServers(servers)
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
    return toAddresses(addressesIn(ipv4), addressesIn(ipv6))
  }
}

function addressesIn(settled: PromiseSettledResult<string[]>): string[] {
  return settled.status === 'fulfilled' ? settled.value : []
}

function toAddresses(ipv4: readonly string[], ipv6: readonly string[]): FoundAddress[] {
  return [
    ...ipv4.map((address) => ({ address, family: 4 })),
    ...ipv6.map((address) => ({ address, family: 6 })),
  ]
}
