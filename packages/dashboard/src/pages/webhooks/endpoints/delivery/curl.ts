/** An attempt as a curl command, to test a receiver. No side effects. */
import type { DeliveryAttempt, Event } from '@switchyard/sdk'

/** Whether the signatures are visible. They are redacted for roles below ADMIN, and curl is useless without them. */
export function hasSignatures({ request_headers }: DeliveryAttempt): boolean {
  return !request_headers['signature-digest'].includes('v1=redacted')
}

/**
 * The command has `signature-digest`, which covers `data` and is still valid. It has no `webhook-signature`, which covers
 * the whole body: `pending_deliveries` has changed since. Receivers that check the age of a webhook reject the request.
 */
export function curlOfAttempt(url: string, attempt: DeliveryAttempt, event: Event): string {
  const { 'signature-digest': digest } = attempt.request_headers
  return [
    `curl -X POST ${shellQuoted(url)}`,
    "-H 'content-type: application/json'",
    `-H ${shellQuoted(`signature-digest: ${digest}`)}`,
    `--data-binary ${shellQuoted(JSON.stringify(event))}`,
  ].join(' \\\n  ')
}

/** The string that `signature-digest` signs: `t` as in the header, a dot, and the exact characters of `data`. */
export function signedString(attempt: DeliveryAttempt, event: Event): string {
  const t = /(?:^|,)\s*t=(\d+)/.exec(attempt.request_headers['signature-digest'])?.[1] ?? ''
  return `${t}.${event.data}`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
