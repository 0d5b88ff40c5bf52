/**
 * Signs requests to receivers. `signature-digest` covers the content of the event and is the same in all attempts; the
 * Standard Webhooks headers cover the bytes of this attempt. No side effects.
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

/** `t` is the creation time of the event. One signature for each secret, newest first. */
export function signatureDigest(event: SignedEvent, secrets: readonly string[]): string {
  const t = seconds(event.createdAt)
  const text = `${t}.${event.data}`
  const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(text).digest('hex')}`)
  return [`t=${t}`, ...signatures].join(',')
}

/** One Standard Webhooks signature for each secret. The key is the base64 text after `whsec_`, decoded. */
export function webhookSignature(event: SignedEvent, timestamp: number, secrets: readonly string[]): string {
  const text = `${event.id}.${timestamp}.${event.body}`
  return secrets
    .map((secret) => {
      // `createHmac` decodes the key: passing decoded bytes is several times slower.
      const hash = createHmac('sha256', secret.slice(prefix.length), { encoding: 'base64' })
      return `v1,${hash.update(text).digest('base64')}`
    })
    .join(' ')
}

export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
