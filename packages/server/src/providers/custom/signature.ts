/**
 * How both sides of the protocol sign: HMAC-SHA-256 over what is done, when, where and with which body. The
 * first word says which way it goes, so that a request cannot be sent back as a callback. Pure.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const signatureHeader = 'switchyard-signature'

/** A signature of another time is refused: whoever has overheard a request cannot send it for ever. */
const toleranceSeconds = 300

/** More would only cost time. During a rotation there are two. */
const maxSignatures = 8

export type Signed = {
  readonly way: 'request' | 'callback'
  readonly method: string
  /** Path and query, as they stand in the first line of the request. */
  readonly path: string
  readonly body: string | Uint8Array
}

/** One signature for each secret; the key is the whole text of the secret. */
export function sign(signed: Signed, secrets: readonly string[], now: Date): string {
  const t = String(secondsOf(now))
  const signatures = secrets.map((secret) => `v1=${hmac(signed, t, secret).toString('hex')}`)
  return [`t=${t}`, ...signatures].join(',')
}

export type Judgement = 'valid' | 'no_header' | 'bad_header' | 'stale' | 'future' | 'no_match'

/** Any signature by any of the secrets is enough. Elements with another label are versions to come. */
export function verify(
  signed: Signed,
  header: string | undefined,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: Date },
): Judgement {
  if (header === undefined) return 'no_header'
  const elements = header.split(',').map((element) => element.trim().split('=', 2))
  const times = valuesOf(elements, 't')
  const given = valuesOf(elements, 'v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  const [t = ''] = times
  if (times.length !== 1 || !/^[0-9]{1,12}$/.test(t) || given.length === 0) return 'bad_header'

  // The time is looked at last, so that what it says is what the holder of a secret said.
  if (!matches(signed, t, { given: given.slice(0, maxSignatures), secrets })) return 'no_match'
  const ageSeconds = secondsOf(now) - Number(t)
  if (ageSeconds > toleranceSeconds) return 'stale'
  return ageSeconds < -toleranceSeconds ? 'future' : 'valid'
}

/** Compares every pair, whatever the first ones say: the time it takes tells nothing. */
function matches(
  signed: Signed,
  t: string,
  { given, secrets }: { readonly given: readonly string[]; readonly secrets: readonly string[] },
): boolean {
  const expected = secrets.map((secret) => hmac(signed, t, secret))
  const pairs = expected.flatMap((one) => given.map((hex) => timingSafeEqual(one, Buffer.from(hex, 'hex'))))
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
