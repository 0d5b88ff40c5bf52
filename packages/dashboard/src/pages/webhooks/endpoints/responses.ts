/** The response of a receiver as text: a status code, or why there was no response. */
import type { Delivery, DeliveryAttempt } from '@switchyard/sdk'

type Outcome = DeliveryAttempt['outcome']

const noResponseTexts: { readonly [O in Outcome]?: string } = {
  timeout: 'Timeout',
  dns_failed: 'DNS lookup failed',
  connect_failed: 'Connection failed',
  tls_failed: 'TLS failed',
  blocked: 'Address not allowed',
}

/** "500", "Timeout", or a dash before the first attempt. */
export function responseText(outcome: Outcome | null, status: number | null): string {
  if (outcome === null) return '–'
  if (status !== null) return String(status)
  return noResponseTexts[outcome] ?? 'No response'
}

/** The heading of a group of failures. */
export function causeText(outcome: Outcome, status: number | null, timeoutSeconds: number): string {
  if (outcome === 'timeout' && status === null) return `Timeout after ${timeoutSeconds} s`
  if (status === null) return noResponseTexts[outcome] ?? 'No response'
  const hints: { readonly [O in Outcome]?: string } = {
    redirect: ' (redirects are not followed)',
    gone: ' (Gone)',
    throttled: ' (rate limited)',
  }
  return `${status} from the endpoint${hints[outcome] ?? ''}`
}

/** The status of a delivery: one that will be retried is "retrying", not failed. */
export function displayedState({ state, tries }: Pick<Delivery, 'state' | 'tries'>): string {
  return state === 'pending' && tries > 0 ? 'retrying' : state
}
