/**
 * Signatures of the `custom` protocol, the same in both directions: HMAC-SHA-256 over role, second, method,
 * path and the hash of the body. The role keeps a request from being sent back as a callback. Pure.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export type Signed = {
  readonly role: 'request' | 'callback'
  readonly method: string
  /** Path and query, as they stand on the wire. */
  readonly path: string
  readonly body: string | Uint8Array
}

export const signatureHeader = 'switchyard-signature'
export const toleranceSeconds = 300

/** One signature for each secret, the newest first. The key is the whole text of the secret. */
export function sign(what: Signed, secrets: readonly string[], t: number): string {
  const text = signedText(what, t)
  return [`t=${t}`, ...secrets.map((secret) => `v1=${digest(text, secret).toString('hex')}`)].join(',')
}

/** Whether any signature of the header was made with any of the secrets, at about this time. */
export function verify(what: Signed, header: string | undefined, secrets: readonly string[], now: number) {
  const read = readHeader(header ?? '')
  if (read === null || Math.abs(now - read.t) > toleranceSeconds) return false
  const text = signedText(what, read.t)
  const expected = secrets.map((secret) => digest(text, secret))
  // Every pair is compared, so that the time taken does not tell which one was close.
  const matches = read.signatures.flatMap((given) => expected.map((right) => timingSafeEqual(given, right)))
  return matches.includes(true)
}

function signedText({ role, method, path, body }: Signed, t: number): string {
  return `${role}.${t}.${method}.${path}.${createHash('sha256').update(body).digest('hex')}`
}

function digest(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}

/** Parts of other names are left for later versions of the protocol. */
function readHeader(header: string): { t: number; signatures: Buffer[] } | null {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const valuesOf = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []))
  const [t = '', ...moreTimes] = valuesOf('t')
  if (moreTimes.length > 0 || !/^\d{1,12}$/.test(t)) return null
  const signatures = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  return { t: Number(t), signatures: signatures.map((value) => Buffer.from(value, 'hex')) }
}
