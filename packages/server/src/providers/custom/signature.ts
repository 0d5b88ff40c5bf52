/**
 * Signatures of the protocol: HMAC-SHA-256 over direction, time, method, path and body. The direction comes first, so
 * that a request cannot be replayed as a callback. No side effects.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const signatureHeader = 'switchyard-signature'

/**
 * The stand-ins for the card number and the CVC that the body contained when the request was signed. A card
 * vault has since replaced them with the card. They are signed as part of the body.
 */
export const standInsHeader = 'switchyard-stand-ins'

/** Older or newer signatures are rejected, so that a recorded request cannot be replayed forever. */
const toleranceSeconds = 300

/** Limits the cost of a verification. A request has one signature, or two during a rotation. */
const maxSignatures = 8

export type Signed = {
  /** The direction of the message. */
  readonly way: 'request' | 'callback'
  readonly method: string
  /** Path and query, as in the request line. */
  readonly path: string
  readonly body: string | Uint8Array
}

/** One signature for each secret; the key is the whole text of the secret. */
export function sign(signed: Signed, secrets: readonly string[], now: Date): string {
  const t = String(secondsOf(now))
  const signatures = secrets.map((secret) => `v1=${hmac(signed, t, secret).toString('hex')}`)
  return [`t=${t}`, ...signatures].join(',')
}

export type SignatureResult = 'valid' | 'no_header' | 'bad_header' | 'stale' | 'future' | 'no_match'

/** Any signature by any of the secrets is enough. Elements with unknown labels are future versions. */
export function verify(
  signed: Signed,
  header: string | undefined,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: Date },
): SignatureResult {
  if (header === undefined) return 'no_header'
  const elements = header.split(',').map((element) => element.trim().split('=', 2))
  const times = valuesOf(elements, 't')
  const signatures = valuesOf(elements, 'v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  const [t = ''] = times
  if (times.length !== 1 || !/^[0-9]{1,12}$/.test(t) || signatures.length === 0) return 'bad_header'

  // The time is checked last, so that only a correctly signed time is reported as stale or future.
  if (!matches(signed, t, { signatures: signatures.slice(0, maxSignatures), secrets })) return 'no_match'
  const ageSeconds = secondsOf(now) - Number(t)
  if (ageSeconds > toleranceSeconds) return 'stale'
  return ageSeconds < -toleranceSeconds ? 'future' : 'valid'
}

/** Compares every pair, so that the timing reveals nothing. */
function matches(
  signed: Signed,
  t: string,
  { signatures, secrets }: { readonly signatures: readonly string[]; readonly secrets: readonly string[] },
): boolean {
  const expected = secrets.map((secret) => hmac(signed, t, secret))
  const pairs = expected.flatMap((mac) =>
    signatures.map((hex) => timingSafeEqual(mac, Buffer.from(hex, 'hex'))),
  )
  return pairs.includes(true)
}

function valuesOf(elements: readonly (readonly string[])[], label: string): string[] {
  return elements.filter(([name]) => name === label).map(([, value = '']) => value)
}

function hmac({ way, method, path, body }: Signed, t: string, secret: string): Buffer {
  const digest = createHash('sha256').update(body).digest('hex')
  return createHmac('sha256', secret).update(`${way}.${t}.${method}.${path}.${digest}`).digest()
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
