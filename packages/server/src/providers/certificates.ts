/**
 * Fetches the certificates with which some providers sign webhooks. The URL comes from the webhook itself, so only the
 * hosts that the provider declares are contacted, over HTTPS. Certificates are cached in memory.
 */
import type { Mode } from '../kernel/id.ts'
import { createCache } from '../platform/cache.ts'
import type { IncomingCall, Provider, Sender } from './contract.ts'

export type Certificates = {
  /** The certificate that the webhook names, as PEM. Null: it names none, or it could not be fetched. */
  find(provider: Provider, call: IncomingCall, mode: Mode): Promise<string | null>
  /** The certificate at this URL, whose host the caller has checked, as PEM. Null: it could not be fetched. */
  fetch(url: URL, mode: Mode): Promise<string | null>
}

const timeoutMs = 5_000
const maxResponseBytes = 64 * 1024
const ttlMs = 24 * 60 * 60 * 1000

export function createCertificates(sender: Sender): Certificates {
  const cache = createCache<string | null>({ ttlMs, maxEntries: 100, keep: (value) => value !== null })

  async function fetchCertificate(url: URL, mode: Mode): Promise<string | null> {
    const reply = await sender.send({
      method: 'GET',
      url: url.href,
      mode,
      headers: { accept: 'application/x-pem-file, text/plain' },
      body: null,
      timeoutMs,
      maxResponseBytes,
      pool: `certificates ${url.host}`,
      maxConnections: 2,
    })
    if (reply.kind === 'failed' || reply.status !== 200 || reply.truncated) return null
    return reply.body.includes('-----BEGIN CERTIFICATE-----') ? reply.body : null
  }

  const fetch = (url: URL, mode: Mode) => cache.get(url.href, () => fetchCertificate(url, mode))
  return {
    fetch,
    async find({ webhooks }, call, mode) {
      const { hosts = [], urlIn } = webhooks?.certificate ?? {}
      const url = URL.parse(urlIn?.(call) ?? '')
      if (url === null || url.protocol !== 'https:' || !hosts.includes(url.hostname)) return null
      return fetch(url, mode)
    },
  }
}
