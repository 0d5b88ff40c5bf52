/** What came in, kept for tests to look at, without card numbers and security codes. */
import type { Incoming } from './incoming.ts'
import { isObject } from './protocol.ts'
import type { Account, Call } from './world.ts'

/** At least so many are kept. Old ones go in blocks: one by one would cost more than the call. */
const keptCalls = 10_000

export function noteCall(
  account: Account,
  { method, path, headers, body }: Incoming,
  { at, isTrusted }: { readonly at: number; readonly isTrusted: boolean },
): Call {
  const call: Call = {
    at: new Date(at).toISOString(),
    method,
    path,
    idempotency_key: headers['idempotency-key']?.toString() ?? null,
    signature: isTrusted ? 'valid' : 'invalid',
    body: withoutCard(body),
    answer: null,
  }
  account.calls.push(call)
  if (account.calls.length >= 2 * keptCalls) account.calls.splice(0, keptCalls)
  return call
}

function withoutCard(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.instrument) || body.instrument.type === 'token') return body
  const { number } = body.instrument
  const last4 = typeof number === 'string' ? number.slice(-4) : null
  return { ...body, instrument: { type: body.instrument.type, last4 } }
}
