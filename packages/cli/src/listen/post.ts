/** Makes one delivery attempt, with the same request as a real webhook delivery. */

import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Event, signWebhook, verifyWebhook } from '@switchyard/sdk'

export type Receiver = { readonly url: URL; readonly secret: string; readonly timeoutMs: number }

export type Reply =
  | { readonly kind: 'responded'; readonly status: number }
  /** No connection was possible, so the event did not arrive. */
  | { readonly kind: 'unreachable'; readonly fault: string }
  /** The event may have arrived. */
  | { readonly kind: 'lost'; readonly fault: string }

const agents = {
  http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
  https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
}
const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Signs the event with the listener's secret and, before sending it, verifies the signature as a receiver would. */
export async function post(
  { url, secret, timeoutMs }: Receiver,
  event: Event,
  attempt: number,
): Promise<Reply> {
  const { body, headers } = await signWebhook(event, secret)
  await verifyWebhook({ body, headers, secret, toleranceSeconds: 0 })
  const allHeaders = {
    ...headers,
    // No delivery object exists for a forwarded event. Derive an id, for receivers that store it.
    'switchyard-delivery': event.id.replace(/^event_/, 'delivery_'),
    'switchyard-attempt': String(attempt),
    'user-agent': 'Switchyard-Webhooks',
    'content-length': String(Buffer.byteLength(body)),
  }
  return sendRequest(url, allHeaders, body, timeoutMs)
}

function sendRequest(
  url: URL,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
): Promise<Reply> {
  const isTls = url.protocol === 'https:'
  const request = isTls ? httpsRequest : httpRequest
  const agent = isTls ? agents.https : agents.http
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const outgoing = request(url, { method: 'POST', headers, agent, signal })
    outgoing.once('response', (response) => {
      // The body is not used. Read it so that the connection can be reused.
      response.once('error', () => {}).resume()
      resolve({ kind: 'responded', status: response.statusCode ?? 0 })
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      resolve(failureOf(error, signal.aborted, timeoutMs)),
    )
    outgoing.end(body)
  })
}

function failureOf(error: NodeJS.ErrnoException, isTimeout: boolean, timeoutMs: number): Reply {
  if (isTimeout) return { kind: 'lost', fault: `no response within ${timeoutMs / 1000} s` }
  const code = error.code ?? 'unknown'
  // If a host name has several addresses, Node reports an AggregateError with one error for each.
  const inner = error instanceof AggregateError ? error.errors : []
  const isUnreachable = unreachableCodes.has(code) || inner.some((each) => unreachableCodes.has(each?.code))
  return {
    kind: isUnreachable ? 'unreachable' : 'lost',
    fault: isUnreachable ? 'receiver unreachable' : `connection lost (${code})`,
  }
}
