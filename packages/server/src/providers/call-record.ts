/**
 * What is kept of a call: enough to see what happened, nothing that opens a card or an account. What strangers
 * write is kept only after everything secret that we sent them has been struck out of it.
 */
import { createHmac } from 'node:crypto'
import { scrub } from '../platform/log.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { HttpCall, OperationInput } from './contract.ts'

export type CallRecord = {
  readonly method: HttpCall['method']
  /** Without the query, where some providers have keys. */
  readonly path: string
  readonly requestHash: string
  readonly requestBytes: number
  /** Whether a byte of it may have left. */
  readonly mayHaveBeenSent: boolean
  readonly status: number | null
  readonly answerBytes: number
  readonly durationMs: number
}

/**
 * Tells whether a request that was built again is the same. Headers are left out: a signature carries its time.
 * The key makes it worthless to others: a plain hash of all card numbers of a bank is made in a second.
 */
export function requestHash({ method, url, body }: HttpCall, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${method}\n${url}\n${body ?? ''}`)
    .digest('hex')
}

export function callRecord(
  call: HttpCall,
  { hash, reply, secrets }: { hash: string; reply: OutboundReply | null; secrets: Secrets },
): CallRecord {
  const answered = reply?.is === 'answered' ? reply : null
  return {
    method: call.method,
    path: pathWithout(secrets, call.url),
    requestHash: hash,
    requestBytes: Buffer.byteLength(call.body ?? ''),
    mayHaveBeenSent: answered !== null || (reply?.is === 'failed' && reply.mayHaveBeenSent),
    status: answered?.status ?? null,
    answerBytes: Buffer.byteLength(answered?.body ?? ''),
    durationMs: reply?.timings.durationMs ?? 0,
  }
}

function pathWithout({ numbers, words }: Secrets, url: string): string {
  const path = decoded(new URL(url).pathname)
  return strike(path, [...numbers, ...words.filter((word) => word.length > longestCode)])
}

/** What nobody may read later, in an input and in settings. */
export type Secrets = {
  /** Wherever they stand. */
  readonly numbers: readonly string[]
  /** A security code is short and may be part of an id by chance; a token has a place where it belongs. */
  readonly words: readonly string[]
}

export function secretsIn(input: unknown, config: unknown): Secrets {
  const { instrument, token } = (input ?? {}) as { instrument?: OperationInput['instrument']; token?: string }
  const card = instrument?.type === 'card' ? instrument : null
  const stored = instrument?.type === 'token' ? instrument.token : token
  return {
    numbers: [...(card === null ? [] : [card.number]), ...secretsOf(config)].filter(isText),
    words: [card?.cvc, stored].filter(isText),
  }
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

const secretNames = /secret|key|token|password|credential/i

/** Of settings, what their names call secret. Addresses and the like may come back in an answer. */
function secretsOf(config: unknown): string[] {
  return Object.entries(config ?? {}).flatMap(([name, member]) => {
    if (secretNames.test(name)) return textsIn(member)
    return typeof member === 'object' ? secretsOf(member) : []
  })
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** As long as the longest address that a payer is sent to. Longer texts help nobody. */
const longestText = 2_048

/** The same value, without secrets: none where people read, and no number anywhere. */
export function struck<T>(value: T, secrets: Secrets): T {
  if (typeof value === 'string') return strike(value, secrets.numbers) as T
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.map((entry) => struck(entry, secrets)) as T
  const members = Object.entries(value).map(([name, member]) =>
    name === 'message' && typeof member === 'string'
      ? [name, withoutCards(strike(strike(member, secrets.numbers), secrets.words))]
      : [name, struck(member, secrets)],
  )
  return Object.fromEntries(members) as T
}

/** A security code is told from other numbers only by what is said before it. */
const namedCode = /\b(code|cvc2?|cvv2?|csc|cid)\b(\W{0,12})\d{3,4}(?![0-9A-Za-z])/gi

/** What a provider writes for people, where it is not known which card it is about: whatever looks like one goes. */
export function withoutCards(message: string): string {
  return scrub(message).replace(namedCode, '$1$2[struck out]')
}

/** A number is also found with blanks or dashes between its digits; a code only where it stands alone. */
function strike(text: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((rest, secret) => rest.replace(patternOf(secret), '[struck out]'), text)
  return clean.slice(0, longestText)
}

const longestCode = 4

function patternOf(secret: string): RegExp {
  const characters = [...secret].map((character) => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'))
  if (!/^\d+$/.test(secret)) return new RegExp(characters.join(''), 'g')
  const digits = characters.join('[ -]?')
  return secret.length <= longestCode
    ? new RegExp(`(?<![0-9A-Za-z])${digits}(?![0-9A-Za-z])`, 'g')
    : new RegExp(digits, 'g')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
