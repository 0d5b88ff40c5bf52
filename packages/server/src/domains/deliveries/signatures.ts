/**
 * How a request to a receiver is signed. `signature-digest` covers the content of the event and stays the
 * same over all attempts; the headers of Standard Webhooks cover the bytes of this attempt. Pure.
 */
import { createHmac } from 'node:crypto'

const prefix = 'whsec_'

export type SignedEvent = {
  readonly id: string
  readonly createdAt: Date
  /** The text of `data`, as the receiver gets it after parsing the body. */
  readonly data: string
  readonly body: string
}

/** `t` is the creation of the event. One signature for each secret, the newest first. */
export function signatureDigest(event: SignedEvent, secrets: readonly string[]): string {
  const t = seconds(event.createdAt)
  const text = `${t}.${event.data}`
  const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`)
  return [`t=${t}`, ...signatures].join(',')
}

/** The same secrets in the same order; here the key is what the text after `whsec_` encodes. */
export function webhookSignature(event: SignedEvent, timestamp: number, secrets: readonly string[]): string {
  const text = `${event.id}.${timestamp}.${event.body}`
  return secrets
    .map((secret) => {
      // Decoded by the hash itself: a key as bytes costs several times as much.
      const hash = createHmac('sha256', secret.slice(prefix.length), { encoding: 'base64' })
      return `v1,${hash.update(text).digest('base64')}`
    })
    .join(' ')
}

export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
