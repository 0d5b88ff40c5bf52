/** An attempt as a command to try a receiver with. Pure. */
import type { DeliveryAttempt, Event } from '@switchyard/sdk'

/**
 * With `signature-digest`, which covers `data` and so still fits. `webhook-signature` covers the whole body, in which
 * the number of waiting deliveries has changed since, so it is left out.
 */
export function curlOfAttempt(url: string, attempt: DeliveryAttempt, event: Event): string {
  const { 'signature-digest': digest } = attempt.request_headers
  return [
    `curl -X POST ${quoted(url)}`,
    "-H 'content-type: application/json'",
    `-H ${quoted(`signature-digest: ${digest}`)}`,
    `--data-binary ${quoted(JSON.stringify(event))}`,
  ].join(' \\\n  ')
}

/** What `signature-digest` covers: `t` as the header writes it, a dot, and the very characters of `data`. */
export function signedString(attempt: DeliveryAttempt, event: Event): string {
  const t = /(?:^|,)\s*t=(\d+)/.exec(attempt.request_headers['signature-digest'])?.[1] ?? ''
  return `${t}.${event.data}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
