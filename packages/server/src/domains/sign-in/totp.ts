/** Codes of an authenticator (RFC 6238): six digits, a new one every thirty seconds. */
import { Secret, TOTP } from 'otpauth'

const stepSeconds = 30
/** The clock of a telephone may be off by one step, before or behind. */
const tolerance = 1

const issuer = 'Switchyard'

export function drawTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** What an authenticator reads from a picture. */
export function totpAddress(secret: string, email: string): string {
  return new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString()
}

/** The step that the code belongs to; null if it is none of those of this moment. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = now.getTime()
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: stepSeconds })
  const delta = totp.validate({ token: code, timestamp, window: tolerance })
  return delta === null ? null : Math.floor(timestamp / 1000 / stepSeconds) + delta
}
