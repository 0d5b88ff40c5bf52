/**
 * The two signatures of a webhook. `signature-digest` covers `<t>.<data>`; its key is the full text of the secret.
 * `webhook-signature` (Standard Webhooks) covers `<id>.<timestamp>.<body>`; its key is the decoded base64 after
 * `whsec_`. Both contain one `v1` for every active secret, newest first.
 */
import { WebhookVerificationError } from './errors.ts'

const utf8 = new TextEncoder()

/** The `v1` of `signature-digest`, in lowercase hexadecimal. `t` is signed as it is written. */
export async function digestOf(secret: string, t: string, data: string): Promise<string> {
  const bytes = await hmac(utf8.encode(secret), `${t}.${data}`)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The parts that a Standard Webhooks signature covers, exactly as sent. */
export type StandardText = { readonly id: string; readonly timestamp: string; readonly body: string }

/** The `v1` of `webhook-signature`, in base64; null if the text after `whsec_` is not base64. */
export async function standardSignatureOf(secret: string, text: StandardText): Promise<string | null> {
  const key = decodeSecret(secret)
  if (key === null) return null
  const bytes = await hmac(key, `${text.id}.${text.timestamp}.${text.body}`)
  return btoa(String.fromCharCode(...bytes))
}

/**
 * Parses `signature-digest`. During a secret rotation there are several `v1` elements, and any of them can match.
 * Elements with other labels are ignored, for future versions.
 */
export function readDigestHeader(header: string): { t: string; signatures: string[] } {
  const elements = header.split(',').map(parseElement)
  const times = elements.filter(([label]) => label === 't').map(([, value]) => value)
  const signatures = elements.filter(([label]) => label === 'v1').map(([, value]) => value)
  const [t = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(t))
    throw badHeader('signature-digest must have one element t with a time in seconds')
  if (signatures.length === 0) throw badHeader('signature-digest has no element v1')
  return { t, signatures }
}

/** Parses `webhook-signature`: `v1,<base64>`, separated by spaces. Other versions are ignored. */
export function readStandardHeader(header: string): string[] {
  const signatures = header
    .split(/\s+/)
    .map((element) => element.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, signature = '']) => signature)
  if (signatures.length === 0) throw badHeader('webhook-signature has no signature of version v1')
  return signatures
}

/** Whether one of `received` is in `expected`. Compares in constant time. */
export function matchesAny(expected: readonly string[], received: readonly string[]): boolean {
  let found = false
  for (const a of expected) for (const b of received) found = isEqual(a, b) || found
  return found
}

function isEqual(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/** Label and value. Only the first `=` is a separator, because a value can contain `=` too. */
function parseElement(text: string): [label: string, value: string] {
  const [label = '', ...value] = text.trim().split('=')
  return [label, value.join('=')]
}

function badHeader(problem: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'bad_header',
    `The header ${problem}. Check that it is passed on unchanged.`,
  )
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

async function hmac(secret: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)))
}
