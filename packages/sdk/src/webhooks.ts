/**
 * Webhooks for receivers. `verifyWebhook` verifies a request and returns its event. `signWebhook` creates a signed
 * request for tests of receivers. Neither makes network calls.
 */
import { WebhookVerificationError } from './errors.ts'
import type { TypedEvent } from './events.ts'
import { requireNumber } from './settings.ts'
import type { Event } from './types.generated.ts'
import {
  digestOf,
  matchesAny,
  readDigestHeader,
  readStandardHeader,
  type StandardText,
  standardSignatureOf,
} from './webhook-signatures.ts'

/** The headers of `Request` or Node's `IncomingMessage`, or a plain object whose names can be in upper or lower case. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | readonly string[] | undefined }

/** One secret, or several during a rotation. Required; the type allows undefined for values from the environment. */
type Secrets = string | readonly string[] | undefined

export type VerifyWebhook = {
  /** The raw body, as text or bytes. A parsed body needs `signatureDigestOnly`. */
  readonly body: string | ArrayBuffer | Uint8Array | object
  readonly headers: WebhookHeaders
  readonly secret: Secrets
  /** How far `webhook-timestamp` can be from now. Default: 300. Use 0 for any age, if webhooks wait in a queue. */
  readonly toleranceSeconds?: number | undefined
  /**
   * Verify `signature-digest` and nothing else. It has no protection against replays, because `t` is the creation
   * time of the event and is the same in every retry: an attacker with a captured request can send it again at any time.
   * Use it only if the raw body or the `webhook-*` headers do not reach you, and keep the ids of handled events.
   */
  readonly signatureDigestOnly?: boolean | undefined
  /** The time to compare with. Default: now. */
  readonly now?: Date | undefined
}

/** An event with its content. Check `type` first: it determines the type of `content.object`. */
export type WebhookEvent = TypedEvent

export type SignedWebhook = { readonly body: string; readonly headers: Record<string, string> }

type Seconds = number
/** The maximum allowed clock difference. */
const maxClockSkewSeconds: Seconds = 300

/**
 * Returns the event of a webhook if one of the secrets signed it, and rejects with a `WebhookVerificationError`
 * otherwise. Both signatures are required: `signature-digest`, and `webhook-signature`, which also covers the time
 * of the attempt. `id`, `type`, `created_at` and `content` come from the signed `data`. The same webhook may be
 * delivered more than once: keep the ids of handled events.
 */
export async function verifyWebhook(webhook: VerifyWebhook): Promise<WebhookEvent> {
  const secrets = requireSecrets(webhook.secret)
  const tolerance = requireNumber('toleranceSeconds', webhook.toleranceSeconds ?? 300, 0)
  const now = (webhook.now ?? new Date()).getTime() / 1000
  const { t, signatures } = readDigestHeader(requireHeader(webhook.headers, 'signature-digest'))
  const text = textOf(webhook.body)
  if (text === null && !webhook.signatureDigestOnly) throw alreadyParsed()
  const envelope = parseEnvelope(text === null ? webhook.body : parseJson(text, 'The body'))

  const expected = await Promise.all(secrets.map((secret) => digestOf(secret, t, envelope.data)))
  if (!matchesAny(expected, signatures)) throw noMatch('signature-digest')
  if (Number(t) > now + maxClockSkewSeconds) throw inFuture('t of signature-digest')
  const content = parseContent(envelope, t)
  if (text !== null && !webhook.signatureDigestOnly)
    await verifyStandard({ headers: webhook.headers, secrets, text, id: content.id, now, tolerance })
  const { id, type, created_at } = content
  return { ...envelope, id, type, created_at, content } as unknown as WebhookEvent
}

/**
 * Creates the request that Switchyard would send: `body` and `headers` belong together. Pass several secrets newest
 * first. `now` is the time of the attempt, for `webhook-timestamp`.
 */
export async function signWebhook(
  event: Event,
  secret: Secrets,
  options: { readonly now?: Date | undefined } = {},
): Promise<SignedWebhook> {
  const secrets = requireSecrets(secret)
  const t = String(requireNumber('created_at of the event, in seconds,', secondsOf(event.created_at), 0))
  const digests = await Promise.all(secrets.map((key) => digestOf(key, t, event.data)))
  const timestamp = String(Math.floor((options.now ?? new Date()).getTime() / 1000))
  const body = JSON.stringify(event)
  const standard = await standardSignatures(secrets, { id: event.id, timestamp, body })
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'signature-digest': [`t=${t}`, ...digests.map((digest) => `v1=${digest}`)].join(','),
      ...(standard.length === 0 ? {} : standardHeaders(event.id, timestamp, standard)),
    },
  }
}

function standardHeaders(id: string, timestamp: string, signatures: readonly string[]) {
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  }
}

/** A malformed secret is a configuration error of the receiver, so it is a TypeError. The message does not quote it. */
export function requireSecrets(secret: Secrets): readonly string[] {
  const secrets = [secret ?? []].flat()
  if (secrets.length === 0) throw new TypeError('A webhook secret is required.')
  if (secrets.every((secret) => /^whsec_\S+$/.test(secret))) return secrets
  throw new TypeError('The webhook secret must start with whsec_ and must not contain spaces.')
}

type StandardInput = {
  readonly headers: WebhookHeaders
  readonly secrets: readonly string[]
  readonly text: string
  readonly id: string
  readonly now: Seconds
  readonly tolerance: Seconds
}

/**
 * Verifies the Standard Webhooks headers, which cover the whole body and the time of the attempt. A missing header is
 * an error: otherwise an attacker could remove it to replay a captured request.
 */
async function verifyStandard({ headers, secrets, text, id, now, tolerance }: StandardInput): Promise<void> {
  const header = requireHeader(headers, 'webhook-signature')
  const sentId = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const signatures = readStandardHeader(header)
  if (!/^\d{1,12}$/.test(timestamp))
    throw verificationError('bad_header', 'The webhook-timestamp header is not a time in seconds.')
  const expected = await standardSignatures(secrets, { id: sentId, timestamp, body: text })
  if (!matchesAny(expected, signatures)) throw noMatch('webhook-signature')
  if (sentId !== id) throw differs('id', 'the webhook-id header')
  if (tolerance === 0) return
  if (Number(timestamp) > now + tolerance) throw inFuture('webhook-timestamp')
  if (Number(timestamp) < now - tolerance)
    throw verificationError(
      'stale',
      `webhook-timestamp is more than ${tolerance} seconds ago: this may be a replay. If you verify webhooks later, set toleranceSeconds.`,
    )
}

async function standardSignatures(secrets: readonly string[], text: StandardText): Promise<string[]> {
  const signatures = await Promise.all(secrets.map((secret) => standardSignatureOf(secret, text)))
  return signatures.filter((signature) => signature !== null)
}

/** Repeated headers are joined with commas, as in HTTP. */
function requireHeader(headers: WebhookHeaders, name: string): string {
  const entries: Iterable<readonly [string, string | readonly string[] | undefined]> =
    Symbol.iterator in headers
      ? (headers as Iterable<readonly [string, string]>)
      : Object.entries(headers as Record<string, string>)
  const values = [...entries]
    .filter(([label]) => label.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  if (values.length === 0) throw missing(name)
  return values.join(', ')
}

/** The text of a raw body; null if the body is already parsed. */
function textOf(body: VerifyWebhook['body']): string | null {
  if (typeof body === 'string') return body
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) return null
  try {
    // A lenient decoder would replace invalid bytes, and the text would differ from what was signed.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Uint8Array)
  } catch {
    throw verificationError('bad_body', 'The body is not UTF-8. Check that it is not still compressed.')
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Do not include the message of the parser, which quotes the body.
    throw verificationError(
      'bad_body',
      `${name} is not JSON. Check that it is passed on complete and unchanged.`,
    )
  }
}

type Members = Readonly<Record<string, unknown>>

function parseEnvelope(body: unknown): Members & { readonly data: string } {
  if (!isObject(body))
    throw verificationError('bad_body', 'The body is not a JSON object, so it is not an event.')
  const { data } = body
  if (typeof data !== 'string')
    throw verificationError(
      'data_not_string',
      'data of the event must be the signed string. Pass the raw body, or the body parsed once.',
    )
  // UTF-8 encodes every lone surrogate as U+FFFD, so different strings would have the same signature.
  if (/\p{Surrogate}/u.test(data))
    throw verificationError('bad_body', 'data of the event is not well-formed Unicode.')
  return { ...body, data }
}

/** `signature-digest` only covers `data`, so the envelope must not differ from it. */
function parseContent(envelope: Members & { readonly data: string }, t: string): Members & { id: string } {
  const content = parseJson(envelope.data, 'data of the event')
  if (!isObject(content)) throw verificationError('bad_body', 'data of the event is not a JSON object.')
  const { id, type, created_at } = content
  if (typeof id !== 'string' || id !== envelope.id) throw differs('id', 'the envelope')
  if (typeof type !== 'string' || type !== envelope.type) throw differs('type', 'the envelope')
  if (typeof created_at !== 'string' || secondsOf(created_at) !== Number(t))
    throw differs('created_at', 't of signature-digest')
  return { ...content, id }
}

function secondsOf(time: string): Seconds {
  return Math.floor(Date.parse(time) / 1000)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const verificationError = (...[reason, message]: ConstructorParameters<typeof WebhookVerificationError>) =>
  new WebhookVerificationError(reason, message)

const missing = (name: string) =>
  verificationError(
    'no_header',
    `The ${name} header is missing: a proxy dropped it, or the request is not from Switchyard.`,
  )

const alreadyParsed = () =>
  verificationError(
    'bad_body',
    'The body is already parsed. Pass the raw body, or set signatureDigestOnly, which does not protect against replays.',
  )

const noMatch = (name: string) =>
  verificationError(
    'no_match',
    `No signature in ${name} matches. Check the secret of this endpoint, and that the body is passed on unchanged.`,
  )

const inFuture = (name: string) =>
  verificationError('future', `${name} is too far in the future. Check the clock of this machine.`)

const differs = (member: string, from: string) =>
  verificationError(
    'envelope_differs',
    `${member} in data differs from ${from}. Part of the request was changed.`,
  )
