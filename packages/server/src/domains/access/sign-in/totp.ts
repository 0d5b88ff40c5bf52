/** Authenticator codes (RFC 6238): six digits, a new code every thirty seconds. */
import { Secret, TOTP } from 'otpauth'

const stepSeconds = 30
/** The clock of a phone may be off by one step in either direction. */
const tolerance = 1

const issuer = 'Switchyard'

export function generateTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The URI in the QR code for authenticators. */
export function totpUri(secret: string, email: string): string {
  return new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString()
}

/** The time step of the code; null if the code is not valid now. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = now.getTime()
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: stepSeconds })
  const delta = totp.validate({ token: code, timestamp, window: tolerance })
  return delta === null ? null : Math.floor(timestamp / 1000 / stepSeconds) + delta
}
