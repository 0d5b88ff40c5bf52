/** DNS records of a domain. Names that do not exist have none; other failures of the DNS server are errors. */
import { Resolver } from 'node:dns/promises'

const limits = { timeout: 2_000, tries: 2 }

export function txtRecords(name: string, server: string | null): Promise<readonly string[]> {
  // A record consists of several strings if it is longer than 255 bytes.
  return resolve(server, async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join('')))
}

/** The hosts that receive the e-mails of the domain. */
export function mxRecords(name: string, server: string | null): Promise<readonly string[]> {
  return resolve(server, async (resolver) =>
    (await resolver.resolveMx(name)).map(({ exchange }) => exchange).filter((host) => host !== ''),
  )
}

async function resolve(
  server: string | null,
  query: (resolver: Resolver) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const resolver = new Resolver(limits)
  if (server !== null) resolver.setServers([server])
  try {
    return await query(resolver)
  } catch (error) {
    const { code } = error as { readonly code?: string }
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}
