/** TXT records of a domain. Names that do not exist have none; other failures of the DNS server are errors. */
import { Resolver } from 'node:dns/promises'

const limits = { timeout: 2_000, tries: 2 }

export async function txtRecords(name: string, server: string | null): Promise<readonly string[]> {
  const resolver = new Resolver(limits)
  if (server !== null) resolver.setServers([server])
  try {
    // A record consists of several strings if it is longer than 255 bytes.
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    const { code } = error as { readonly code?: string }
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}
