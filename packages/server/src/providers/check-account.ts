/**
 * Checks a provider by an account with it, within the time that somebody waits for an answer. What it says of
 * itself is kept only if it keeps its promises, and only as far as it can be stored and shown.
 */
import { monotonicMs } from '../kernel/clock.ts'
import type { Mode } from '../kernel/id.ts'
import type { Outbound, OutboundReply } from '../platform/outbound/outbound.ts'
import { checkProvider } from './custom/check.ts'
import type { CustomConfig, Manifest } from './custom/wire.ts'

export type CheckedAccount = {
  readonly mode: Mode
  /** Numbers go to those alone who may have them. */
  readonly cardData: 'pan' | 'token'
  readonly config: unknown
}

export type AccountCheck = {
  readonly faults: readonly { readonly duty: string; readonly detail: string }[]
  /** What it says of itself; null if it did not pass. */
  readonly manifest: object | null
}

/** Callers are answered within half a minute. */
const usualPatienceMs = 25_000

export function createAccountCheck(outbound: Pick<Outbound, 'send'>, patienceMs = usualPatienceMs) {
  return async ({ mode, cardData, config }: CheckedAccount): Promise<AccountCheck> => {
    const untilMs = monotonicMs() + patienceMs
    const { base_url: baseUrl, secrets } = config as CustomConfig
    const { manifest, results } = await checkProvider({
      sender: hurried(outbound, untilMs),
      baseUrl,
      secret: secrets[0] ?? '',
      mode,
      ...(cardData === 'pan' ? {} : { instrument: null }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, untilMs - monotonicMs()))),
    })
    const faults = results
      .filter(({ is }) => is === 'broken')
      .map(({ name, detail }) => ({ duty: name, detail: storable(detail ?? '') }))
    return { faults, manifest: manifest === null || faults.length > 0 ? null : plain(manifest) }
  }
}

/** When the time is over, whatever is still to be asked has no answer. */
function hurried(outbound: Pick<Outbound, 'send'>, untilMs: number): Pick<Outbound, 'send'> {
  return {
    async send(request) {
      const leftMs = untilMs - monotonicMs()
      return leftMs <= 0
        ? tooLate
        : outbound.send({ ...request, timeoutMs: Math.min(request.timeoutMs, leftMs) })
    },
  }
}

const tooLate: OutboundReply = {
  is: 'failed',
  cause: 'timeout',
  detail: 'The check took too long.',
  mayHaveBeenSent: false,
  timings: { durationMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  connectionReused: false,
  remoteIp: null,
}

/** Strangers may have written into it. The database holds no NUL and no half characters. */
function storable(text: string): string {
  return text.slice(0, 500).toWellFormed().replaceAll('\0', '')
}

/** The members that we know, and of lists the words that can be meant. */
function plain({ protocol, capabilities, timeout_ms, features }: Manifest): Manifest {
  const { kinds, amount, manual_capture, multi_capture, partial_refund } = capabilities
  const { three_d_secure, off_session } = capabilities
  const { lookup, close, complete, tokens } = features
  return {
    protocol,
    capabilities: {
      kinds,
      brands: wordsOf(capabilities.brands, /^[a-z0-9_]{1,40}$/),
      currencies: wordsOf(capabilities.currencies, /^[a-z]{3}$/),
      countries: wordsOf(capabilities.countries, /^[A-Z]{2}$/),
      amount: amount ? { min: amount.min, max: amount.max } : null,
      ...{ manual_capture, multi_capture, partial_refund, three_d_secure, off_session },
    },
    timeout_ms,
    features: { lookup, close, complete, tokens },
  }
}

function wordsOf(listed: 'all' | string[], pattern: RegExp): 'all' | string[] {
  return listed === 'all' ? listed : listed.filter((word) => pattern.test(word))
}
