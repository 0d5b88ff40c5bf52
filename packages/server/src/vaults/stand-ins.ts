/**
 * Stand-ins take the place of a card number and its CVC while a request is built, and are then replaced by the placeholders
 * of the vault. They consist of letters and digits, so that no encoding changes them.
 */
import { createHash } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import type { HttpCall } from '../providers/contract.ts'
import type { CardPart, CardVault, VaultToken } from './contract.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 20

/** Each call of an operation uses the same stand-ins, so that a repeated request has the same hash. */
export function standInOf(reference: string, part: CardPart): string {
  const bytes = createHash('sha256').update(`${part} of ${reference}`).digest()
  return Array.from(bytes.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('')
}

export type StandIns = { readonly number: string; readonly cvc: string | null }

/** Replaces the stand-ins. Throws if the call does not contain the stand-in of the number unchanged. */
export function withPlaceholders(
  call: HttpCall,
  standIns: StandIns,
  { vault, token }: { readonly vault: CardVault; readonly token: VaultToken },
  unchangedHeaders: readonly string[] = [],
): HttpCall {
  assert(
    call.bytes === undefined,
    'A call through a vault must be text, because the vault replaces placeholders in it.',
  )
  assert(
    JSON.stringify(call).includes(standIns.number),
    'The call must contain the stand-in of the card number.',
  )
  const replaceIn = (text: string, encode: (placeholder: string) => string) => {
    const withNumber = text.replaceAll(standIns.number, encode(vault.placeholder('number', token)))
    return standIns.cvc === null
      ? withNumber
      : withNumber.replaceAll(standIns.cvc, encode(vault.placeholder('cvc', token)))
  }
  const headers = Object.entries(call.headers).map(
    ([name, value]) =>
      [name, unchangedHeaders.includes(name.toLowerCase()) ? value : replaceIn(value, asIs)] as const,
  )
  return {
    ...call,
    url: replaceIn(call.url, encodeURIComponent),
    headers: Object.fromEntries(headers),
    body: call.body === null ? null : replaceIn(call.body, encoderOf(call)),
  }
}

const asIs = (text: string) => text

function encoderOf({ headers }: HttpCall): (placeholder: string) => string {
  const [, type = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  if (type.includes('json')) return (text) => JSON.stringify(text).slice(1, -1)
  if (type.includes('x-www-form-urlencoded')) return encodeURIComponent
  if (type.includes('xml'))
    return (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;')
  return asIs
}
