import { randomBytes } from 'node:crypto'

/** Each request has two signatures for each secret, and receivers limit the size of headers. */
export const maxActiveSecrets = 5

/** The whole text is the key of one signature; the decoded part after `whsec_` is the key of the other. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
