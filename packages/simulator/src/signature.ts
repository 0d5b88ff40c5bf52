/**
 * Signatures of the `custom` protocol, the same in both directions: HMAC-SHA-256 over role, timestamp, method, path and
 * the hash of the body. The role prevents replaying a request as a callback. No side effects.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export type SignedMessage = {
  readonly role: 'request' | 'callback'
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly path: string
  readonly body: string | Uint8Array
}

export const signatureHeader = 'switchyard-signature'
export const toleranceSeconds = 300

/** The placeholders for the card number and the CVC when the body was signed. */
export const standInsHeader = 'switchyard-stand-ins'

/** Restores the placeholders in the instrument, which a card vault replaced after the body was signed. */
export function withStandIns(body: string, header: string): string {
  const standIns = [...header.matchAll(/(?:^|,)(number|cvc)=([A-Za-z0-9]{20})(?=,|$)/g)]
  return body.replace(/"instrument":\{[^{}]*\}/, (instrument) =>
    standIns.reduce(
      (text, [, part, standIn]) => text.replace(new RegExp(`"${part}":"[^"]*"`), `"${part}":"${standIn}"`),
      instrument,
    ),
  )
}

/** One signature per secret, newest first. The key is the full text of the secret. */
export function sign(message: SignedMessage, secrets: readonly string[], t: number): string {
  const text = signedText(message, t)
  return [`t=${t}`, ...secrets.map((secret) => `v1=${digest(text, secret).toString('hex')}`)].join(',')
}

/** Whether any signature in the header matches any of the secrets, and its timestamp is within the tolerance. */
export function verify(
  message: SignedMessage,
  header: string | undefined,
  secrets: readonly string[],
  now: number,
) {
  const parsed = readHeader(header ?? '')
  if (parsed === null || Math.abs(now - parsed.t) > toleranceSeconds) return false
  const text = signedText(message, parsed.t)
  const expected = secrets.map((secret) => digest(text, secret))
  // Compare every pair, so that the duration does not reveal which pair matched.
  const matches = parsed.signatures.flatMap((signature) =>
    expected.map((valid) => timingSafeEqual(signature, valid)),
  )
  return matches.includes(true)
}

function signedText({ role, method, path, body }: SignedMessage, t: number): string {
  return `${role}.${t}.${method}.${path}.${createHash('sha256').update(body).digest('hex')}`
}

function digest(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}

/** Ignores elements with other names, for later versions of the protocol. */
function readHeader(header: string): { t: number; signatures: Buffer[] } | null {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const valuesOf = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []))
  const [t = '', ...moreTimes] = valuesOf('t')
  if (moreTimes.length > 0 || !/^\d{1,12}$/.test(t)) return null
  const signatures = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  return { t: Number(t), signatures: signatures.map((value) => Buffer.from(value, 'hex')) }
}
