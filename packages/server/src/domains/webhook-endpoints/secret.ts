import { randomBytes } from 'node:crypto'

/** A request carries two signatures for each, and headers are bounded. */
export const maxLiveSecrets = 5

/** All of it is the key of one signature; what is behind `whsec_` is that of the other, as bytes. */
export function drawSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
