/**
 * The two signatures of a webhook. `signature-digest` covers `<t>.<data>` and is keyed with the whole text
 * of the secret; `webhook-signature` (Standard Webhooks) covers `<id>.<timestamp>.<body>` and is keyed with
 * the bytes behind `whsec_`. Both carry one `v1` for every secret that is live, the newest first.
 */
import { WebhookVerificationError } from './errors.ts'

const utf8 = new TextEncoder()

/** The `v1` of `signature-digest`, in lowercase hexadecimal. `t` is signed as it is written. */
export async function digestOf(secret: string, t: string, data: string): Promise<string> {
  const bytes = await hmac(utf8.encode(secret), `${t}.${data}`)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What a Standard Webhooks signature covers, each as it is sent. */
export type StandardText = { readonly id: string; readonly timestamp: string; readonly body: string }

/** The `v1` of `webhook-signature`, in base64; null if no base64 stands behind `whsec_`. */
export async function standardSignatureOf(secret: string, text: StandardText): Promise<string | null> {
  const key = bytesBehindPrefix(secret)
  if (key === null) return null
  const bytes = await hmac(key, `${text.id}.${text.timestamp}.${text.body}`)
  return btoa(String.fromCharCode(...bytes))
}

/**
 * Reads `signature-digest`. Every `v1` counts: while secrets rotate there are several, and the one that
 * matches may be any of them. Elements with another label belong to versions that are yet to come.
 */
export function readDigestHeader(header: string): { t: string; signatures: string[] } {
  const elements = header.split(',').map(elementOf)
  const times = elements.filter(([label]) => label === 't').map(([, value]) => value)
  const signatures = elements.filter(([label]) => label === 'v1').map(([, value]) => value)
  const [t = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(t))
    throw bad('signature-digest must have one element t with a number of seconds')
  if (signatures.length === 0) throw bad('signature-digest has no element v1')
  return { t, signatures }
}

/** Reads `webhook-signature`: `v1,<base64>`, separated by spaces. Other versions are left alone. */
export function readStandardHeader(header: string): string[] {
  const signatures = header
    .split(/\s+/)
    .map((element) => element.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, signature = '']) => signature)
  if (signatures.length === 0) throw bad('webhook-signature has no signature of version v1')
  return signatures
}

/** Whether one of `given` is one of `expected`. How long it takes does not depend on where they differ. */
export function matchesAny(expected: readonly string[], given: readonly string[]): boolean {
  let found = false
  for (const one of expected) for (const other of given) found = equal(one, other) || found
  return found
}

function equal(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let place = 0; place < one.length; place += 1)
    difference |= one.charCodeAt(place) ^ other.charCodeAt(place)
  return difference === 0
}

/** Label and value. Only the first `=` separates, since base64 may end with others. */
function elementOf(text: string): [label: string, value: string] {
  const [label = '', ...value] = text.trim().split('=')
  return [label, value.join('=')]
}

function bad(what: string): WebhookVerificationError {
  return new WebhookVerificationError('bad_header', `The header ${what}. Is it passed on as it was sent?`)
}

function bytesBehindPrefix(secret: string): Uint8Array<ArrayBuffer> | null {
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
