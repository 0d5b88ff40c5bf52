/**
 * The record of a call: enough for diagnosis, without card data or credentials. Text from a provider is
 * only stored after every secret that we sent has been redacted.
 */
import { createHmac } from 'node:crypto'
import { scrub } from '../platform/log.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { HttpCall, OperationInput } from './contract.ts'

export type CallRecord = {
  readonly method: HttpCall['method']
  /** Without the query, which contains keys for some providers. */
  readonly path: string
  readonly requestHash: string
  readonly requestBytes: number
  /** Whether any byte of the request may have been sent. */
  readonly mayHaveBeenSent: boolean
  readonly status: number | null
  readonly answerBytes: number
  readonly durationMs: number
}

/**
 * Detects whether a rebuilt request is the same. Headers are excluded, because a signature contains its time.
 * The hash is keyed: otherwise all card numbers of a bank could be hashed and compared within a second.
 */
export function requestHash({ method, url, body, bytes }: HttpCall, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${method}\n${url}\n`)
    .update(bytes ?? body ?? '')
    .digest('hex')
}

export function callRecord(
  call: HttpCall,
  { hash, reply, secrets }: { hash: string; reply: OutboundReply | null; secrets: Secrets },
): CallRecord {
  const response = reply?.kind === 'answered' ? reply : null
  return {
    method: call.method,
    path: redactedPath(secrets, call.url),
    requestHash: hash,
    requestBytes: Buffer.byteLength(call.bytes ?? call.body ?? ''),
    mayHaveBeenSent: response !== null || (reply?.kind === 'failed' && reply.mayHaveBeenSent),
    status: response?.status ?? null,
    answerBytes: Buffer.byteLength(response?.body ?? ''),
    durationMs: reply?.timings.durationMs ?? 0,
  }
}

function redactedPath({ everywhere, inPaths }: Secrets, url: string): string {
  const path = decoded(new URL(url).pathname)
  return redactText(path, [...everywhere, ...inPaths])
}

/** The secret values in an input and in settings, by where they are redacted. */
export type Secrets = {
  /** Card numbers, IBANs and secret settings. */
  readonly everywhere: readonly string[]
  /**
   * CVCs, account numbers, tokens and short secret settings: a CVC, an account number or a short setting may be part of a
   * reference by chance, and a token is expected in some members.
   */
  readonly inMessages: readonly string[]
  /** Tokens, which are part of some paths. */
  readonly inPaths: readonly string[]
}

/** A shorter secret, such as a password that a person has chosen, is redacted only as a separate word. */
const minLongLength = 8

export function secretsIn(input: unknown, config: unknown, accessToken: string | null = null): Secrets {
  const { instrument, debit, token } = (input ?? {}) as Partial<OperationInput> & { token?: string }
  const card = instrument?.type === 'card' ? instrument : null
  const stored = instrument?.type === 'token' ? instrument.token : token
  const account = debit?.account ?? null
  const [iban, accountNumber] =
    account === null || 'iban' in account ? [account?.iban, undefined] : [undefined, account.accountNumber]
  const settings = secretsOf(config)
  const isLong = (secret: string) => secret.length >= minLongLength
  return {
    everywhere: [card?.number, iban, accessToken ?? undefined, ...settings.filter(isLong)].filter(isText),
    inMessages: [card?.cvc, accountNumber, stored, ...settings.filter((secret) => !isLong(secret))].filter(
      isText,
    ),
    inPaths: [stored].filter(isText),
  }
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

const secretNames = /secret|key|token|password|credential/i

/** The settings whose names mark them as secret. Other settings, such as URLs, may occur in a response. */
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

/** The maximum length of a string. Longer ones are truncated. */
const maxTextLength = 2_048
/** The maximum length of a form field, which the payer's browser needs complete. */
const maxFieldLength = 8_192

/** Redacts secrets: all of them in messages for people, and card numbers and secret settings everywhere. */
export function redactSecrets<T>(value: T, secrets: Secrets, maxLength = maxTextLength): T {
  if (typeof value === 'string') return redactText(value, secrets.everywhere, maxLength) as T
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.map((entry) => redactSecrets(entry, secrets, maxLength)) as T
  const members = Object.entries(value).map(([name, member]) => {
    if (name === 'fields') return [name, redactSecrets(member, secrets, maxFieldLength)]
    if (name !== 'message' || typeof member !== 'string')
      return [name, redactSecrets(member, secrets, maxLength)]
    return [name, withoutCards(redactText(redactText(member, secrets.everywhere), secrets.inMessages))]
  })
  return Object.fromEntries(members) as T
}

/** A CVC can only be recognized by the word before it. */
const namedCode = /\b(code|cvc2?|cvv2?|csc|cid)\b(\W{0,12})\d{3,4}(?![0-9A-Za-z])/gi

/** For messages about an unknown card: redacts everything that looks like a card number or CVC. */
export function withoutCards(message: string): string {
  return scrub(message).replace(namedCode, '$1$2[redacted]')
}

/** A number is also found with spaces or dashes between its digits; a short secret only as a separate word. */
function redactText(text: string, secrets: readonly string[], maxLength = maxTextLength): string {
  const redacted = secrets.reduce((rest, secret) => rest.replace(patternOf(secret), '[redacted]'), text)
  return redacted.slice(0, maxLength)
}

function patternOf(secret: string): RegExp {
  const characters = [...secret].map((character) => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'))
  const text = characters.join(/^\d+$/.test(secret) ? '[ -]?' : '')
  return secret.length < minLongLength
    ? new RegExp(`(?<![0-9A-Za-z])${text}(?![0-9A-Za-z])`, 'g')
    : new RegExp(text, 'g')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
