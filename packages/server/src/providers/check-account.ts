/**
 * Checks a provider through one of its accounts, within the time limit of an API request. Its manifest is
 * stored only if the check passes, and only its known members and valid entries.
 */
import { monotonicMs } from '../kernel/clock.ts'
import type { Mode } from '../kernel/id.ts'
import type { Outbound, OutboundReply } from '../platform/outbound/outbound.ts'
import { checkProvider } from './custom/check.ts'
import type { CustomConfig, Manifest } from './custom/wire.ts'

export type CheckedAccount = {
  readonly mode: Mode
  /** Card numbers are only sent to accounts that may receive them. */
  readonly cardData: 'pan' | 'token'
  readonly config: unknown
}

export type AccountCheck = {
  readonly faults: readonly { readonly duty: string; readonly detail: string }[]
  /** The manifest; null if the check failed. */
  readonly manifest: object | null
}

/** API requests are answered within half a minute. */
const defaultLimitMs = 25_000

export function createAccountCheck(outbound: Pick<Outbound, 'send'>, limitMs = defaultLimitMs) {
  return async ({ mode, cardData, config }: CheckedAccount): Promise<AccountCheck> => {
    const untilMs = monotonicMs() + limitMs
    const { base_url: baseUrl, secrets } = config as CustomConfig
    const { manifest, results } = await checkProvider({
      sender: withDeadline(outbound, untilMs),
      baseUrl,
      secret: secrets[0] ?? '',
      mode,
      ...(cardData === 'pan' ? {} : { instrument: null }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, untilMs - monotonicMs()))),
    })
    const faults = results
      .filter(({ status }) => status === 'violated')
      .map(({ name, detail }) => ({ duty: name, detail: storable(detail ?? '') }))
    return { faults, manifest: manifest === null || faults.length > 0 ? null : knownMembers(manifest) }
  }
}

/** After the time limit all further requests fail. */
function withDeadline(outbound: Pick<Outbound, 'send'>, untilMs: number): Pick<Outbound, 'send'> {
  return {
    async send(request) {
      const remainingMs = untilMs - monotonicMs()
      return remainingMs <= 0
        ? timedOut
        : outbound.send({ ...request, timeoutMs: Math.min(request.timeoutMs, remainingMs) })
    },
  }
}

const timedOut: OutboundReply = {
  kind: 'failed',
  cause: 'timeout',
  detail: 'The check timed out.',
  mayHaveBeenSent: false,
  timings: { durationMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  connectionReused: false,
  remoteIp: null,
}

/** The text may come from the provider. Postgres cannot store NUL or lone surrogates. */
function storable(text: string): string {
  return text.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

/** The known members, and the valid list entries. */
function knownMembers({ protocol, capabilities, timeout_ms, features }: Manifest): Manifest {
  const { kinds, amount, manual_capture, multi_capture, partial_refund } = capabilities
  const { three_d_secure, off_session } = capabilities
  const { lookup, close, complete, tokens, list } = features
  return {
    protocol,
    capabilities: {
      kinds,
      brands: validEntries(capabilities.brands, /^[a-z0-9_]{1,40}$/),
      currencies: validEntries(capabilities.currencies, /^[a-z]{3}$/),
      countries: validEntries(capabilities.countries, /^[A-Z]{2}$/),
      amount: amount ? { min: amount.min, max: amount.max } : null,
      manual_capture,
      multi_capture,
      partial_refund,
      three_d_secure,
      off_session,
    },
    timeout_ms,
    features: { lookup, close, complete, tokens, ...(list === true ? { list } : {}) },
  }
}

function validEntries(entries: 'all' | string[], pattern: RegExp): 'all' | string[] {
  return entries === 'all' ? entries : entries.filter((entry) => pattern.test(entry))
}
