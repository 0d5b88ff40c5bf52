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
    idempotency_key: idempotencyKeyOf(headers),
    signature: isSignatureValid ? 'valid' : 'invalid',
    body: redactCard(body),
    answer: null,
  }
  account.calls.push(call)
  if (account.calls.length >= 2 * minRecordedCalls) account.calls.splice(0, minRecordedCalls)
  return call
}

function idempotencyKeyOf(headers: IncomingCall['headers']): string | null {
  const names = ['idempotency-key', 'cko-idempotency-key', 'paypal-request-id']
  return names.map((name) => headers[name]?.toString()).find((key) => key !== undefined) ?? null
}

function redactCard(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.instrument) || body.instrument.type === 'token')
    return redactCardData(body)
  const { number } = body.instrument
  const last4 = typeof number === 'string' ? number.slice(-4) : null
  return { ...body, instrument: { type: body.instrument.type, last4 } }
}

const cardNumbers = ['number', 'encryptedCardNumber']
const securityCodes = ['cvc', 'cvv', 'encryptedSecurityCode', 'security_code']

/** In the formats of real providers, card numbers and security codes are members of nested objects. */
function redactCardData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactCardData)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => !securityCodes.includes(name))
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      cardNumbers.includes(name) && typeof member === 'string' ? member.slice(-4) : redactCardData(member),
    ]),
  )
}
