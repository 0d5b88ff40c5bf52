/** Records incoming calls for tests, without card numbers and security codes. */
import type { IncomingCall } from './incoming.ts'
import { isObject } from './protocol.ts'
import type { Account, Call } from './simulator-state.ts'

/** At least this many calls are kept. Old calls are removed in blocks, which is cheaper than one by one. */
const minRecordedCalls = 10_000

export function recordCall(
  account: Account,
  { method, path, headers, body }: IncomingCall,
  { at, isSignatureValid }: { readonly at: number; readonly isSignatureValid: boolean },
): Call {
  const call: Call = {
    at: new Date(at).toISOString(),
    method,
    path,
    idempotency_key: headers['idempotency-key']?.toString() ?? null,
    signature: isSignatureValid ? 'valid' : 'invalid',
    body: redactCard(body),
    answer: null,
  }
  account.calls.push(call)
  if (account.calls.length >= 2 * minRecordedCalls) account.calls.splice(0, minRecordedCalls)
  return call
}

function redactCard(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.instrument) || body.instrument.type === 'token') return body
  const { number } = body.instrument
  const last4 = typeof number === 'string' ? number.slice(-4) : null
  return { ...body, instrument: { type: body.instrument.type, last4 } }
}
