/**
 * Asks for the addresses of a name. Node's usual way runs in the few threads that also read files, so a handful
 * of names that never answer would hold up everything; this one asks the name servers directly. It knows
 * neither the hosts file nor search domains.
 */
import { Resolver } from 'node:dns/promises'

export type FoundAddress = { readonly address: string; readonly family: number }

/** Every address of the name, or a rejection. */
export type Lookup = (hostname: string) => Promise<readonly FoundAddress[]>

const perQuery = { timeout: 1_000, tries: 2, maxTimeout: 1_500 }

/** By default the servers that the machine is set up with; read anew each time, as they may change. */
export function nameServerLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    // Name servers need not know this name, and must not decide what it means.
    if (hostname === 'localhost') return toAnswers(['127.0.0.1'], ['::1'])

    const resolver = new Resolver(perQuery)
    if (servers !== undefined) resolver.setServers(servers)
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
    return toAnswers(foundBy(ipv4), foundBy(ipv6))
  }
}

function foundBy(settled: PromiseSettledResult<string[]>): string[] {
  return settled.status === 'fulfilled' ? settled.value : []
}

function toAnswers(ipv4: readonly string[], ipv6: readonly string[]): FoundAddress[] {
  return [
    ...ipv4.map((address) => ({ address, family: 4 })),
    ...ipv6.map((address) => ({ address, family: 6 })),
  ]
}
