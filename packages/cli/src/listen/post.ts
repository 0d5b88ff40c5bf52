/** One attempt: the request that a real delivery would be, and what came of it. */

import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Event, signWebhook, verifyWebhook } from '@switchyard/sdk'

export type Receiver = { readonly url: URL; readonly secret: string; readonly timeoutMs: number }

export type Reply =
  | { readonly is: 'answered'; readonly status: number }
  /** Nobody listens there: it did not arrive. */
  | { readonly is: 'absent'; readonly fault: string }
  /** It may have arrived. */
  | { readonly is: 'lost'; readonly fault: string }

const agents = {
  http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
  https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
}
const absent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Signed with the secret of the session, and verified as a receiver would before it leaves. */
export async function post(
  { url, secret, timeoutMs }: Receiver,
  event: Event,
  attempt: number,
): Promise<Reply> {
  const { body, headers } = await signWebhook(event, secret)
  await verifyWebhook({ body, headers, secret, toleranceSeconds: 0 })
  const all = {
    ...headers,
    // There is no delivery behind it. Receivers that keep the name get one in the usual form.
    'switchyard-delivery': event.id.replace(/^event_/, 'delivery_'),
    'switchyard-attempt': String(attempt),
    'user-agent': 'Switchyard-Webhooks',
    'content-length': String(Buffer.byteLength(body)),
  }
  return exchange(url, all, body, timeoutMs)
}

function exchange(
  url: URL,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
): Promise<Reply> {
  const isTls = url.protocol === 'https:'
  const open = isTls ? httpsRequest : httpRequest
  const agent = isTls ? agents.https : agents.http
  return new Promise((done) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const outgoing = open(url, { method: 'POST', headers, agent, signal })
    outgoing.once('response', (answer) => {
      // The body says nothing to a sender; it is read so that the connection can be used again.
      answer.once('error', () => {}).resume()
      done({ is: 'answered', status: answer.statusCode ?? 0 })
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) => done(faultOf(error, signal.aborted, timeoutMs)))
    outgoing.end(body)
  })
}

function faultOf(error: NodeJS.ErrnoException, isLate: boolean, timeoutMs: number): Reply {
  if (isLate) return { is: 'lost', fault: `no answer within ${timeoutMs / 1000} s` }
  const code = error.code ?? 'unknown'
  // Where a name has several addresses, the reason stands in the errors of each.
  const inner = error instanceof AggregateError ? error.errors : []
  const isAbsent = absent.has(code) || inner.some((one) => absent.has(one?.code))
  return {
    is: isAbsent ? 'absent' : 'lost',
    fault: isAbsent ? 'nobody listens there' : `connection broke (${code})`,
  }
}
