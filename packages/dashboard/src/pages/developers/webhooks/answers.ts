/** What a receiver answered, in words. A 404 is shown as 404; silence is called silence. */
import type { Delivery, DeliveryAttempt } from '@switchyard/sdk'

type Outcome = DeliveryAttempt['outcome']

const silences: { readonly [O in Outcome]?: string } = {
  timeout: 'No answer in time',
  dns_failed: 'Its name was not found',
  connect_failed: 'No connection',
  tls_failed: 'Encryption failed',
  blocked: 'The address is not allowed',
}

/** "500", "No answer in time", or a dash while nothing was tried. */
export function answerText(outcome: Outcome | null, status: number | null): string {
  if (outcome === null) return '–'
  if (status !== null) return String(status)
  return silences[outcome] ?? 'No answer'
}

/** The heading of a group of failures. */
export function causeText(outcome: Outcome, status: number | null, timeoutSeconds: number): string {
  if (outcome === 'timeout' && status === null) return `No answer in ${timeoutSeconds} s`
  if (status === null) return silences[outcome] ?? 'No answer'
  const hints: { readonly [O in Outcome]?: string } = {
    redirect: ', a redirect, which is not followed',
    gone: ', which says that it is gone for good',
    throttled: ', which asks for fewer calls',
  }
  return `${status} from the endpoint${hints[outcome] ?? ''}`
}

/** The chip of a delivery: one that failed and will be tried again is on its way, not failed. */
export function stateOf({ state, tries }: Pick<Delivery, 'state' | 'tries'>): string {
  return state === 'pending' && tries > 0 ? 'retrying' : state
}
