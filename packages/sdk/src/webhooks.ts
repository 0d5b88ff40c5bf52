/**
 * Webhooks at the receiver. `verifyWebhook` says whether a request is what Switchyard sent, and gives its
 * event; `signWebhook` makes such a request, for tests of receivers. Neither calls anybody.
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

/** What `Request` and Node's `IncomingMessage` call headers, or a plain object with names in any case. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | readonly string[] | undefined }

/** One secret, or several while they rotate. Undefined is in the type so that it can come from the environment. */
type Secrets = string | readonly string[] | undefined

export type VerifyWebhook = {
  /** The body as it came, as text or bytes. A parsed one is enough for `signature-digest` alone. */
  readonly body: string | ArrayBuffer | Uint8Array | object
  readonly headers: WebhookHeaders
  readonly secret: Secrets
  /** How old or how early `webhook-timestamp` may be. Without it: 300. 0 for any age, if webhooks wait in a queue. */
  readonly toleranceSeconds?: number | undefined
  /** The time to compare with. Without it: now. */
  readonly now?: Date | undefined
}

/** An event with its content. Look at `type` first: it tells what `content.object` is. */
export type WebhookEvent = TypedEvent

export type SignedWebhook = { readonly body: string; readonly headers: Record<string, string> }

type Seconds = number
/** Clocks differ, but not by more than this. */
const aheadSeconds: Seconds = 300

/**
 * The event of a webhook, if one of the secrets signed it; else it is rejected with a
 * `WebhookVerificationError`. `id`, `type`, `created_at` and `content` come from what was signed. The same
 * webhook may come more than once: keep the ids of events that you have seen.
 */
export async function verifyWebhook(webhook: VerifyWebhook): Promise<WebhookEvent> {
  const secrets = requireSecrets(webhook.secret)
  const tolerance = requireNumber('toleranceSeconds', webhook.toleranceSeconds ?? 300, 0)
  const now = (webhook.now ?? new Date()).getTime() / 1000
  const header = headerOf(webhook.headers, 'signature-digest')
  if (header === null) throw missing('signature-digest')
  const { t, signatures } = readDigestHeader(header)
  const text = textOf(webhook.body)
  const envelope = envelopeIn(text === null ? webhook.body : parsed(text, 'The body'))

  const expected = await Promise.all(secrets.map((secret) => digestOf(secret, t, envelope.data)))
  if (!matchesAny(expected, signatures)) throw noMatch('signature-digest')
  if (Number(t) > now + aheadSeconds) throw tooEarly('t of signature-digest')
  const content = contentIn(envelope, t)
  if (text !== null) await verifyStandard({ ...webhook, secrets, text, id: content.id, now, tolerance })
  const { id, type, created_at } = content
  return { ...envelope, id, type, created_at, content } as unknown as WebhookEvent
}

/**
 * The request that Switchyard would send: `body` and `headers` belong together. With several secrets, the
 * newest first. `now` is the time of the attempt, which `webhook-timestamp` tells.
 */
export async function signWebhook(
  event: Event,
  secret: Secrets,
  options: { readonly now?: Date | undefined } = {},
): Promise<SignedWebhook> {
  const secrets = requireSecrets(secret)
  const t = String(requireNumber('created_at of the event, in seconds,', secondsOf(event.created_at), 0))
  const digests = await Promise.all(secrets.map((one) => digestOf(one, t, event.data)))
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

/** A secret that is wrong in its form is a mistake of the receiver, so it is no refusal. It is not quoted. */
export function requireSecrets(given: Secrets): readonly string[] {
  const secrets = [given ?? []].flat()
  if (secrets.length === 0) throw new TypeError('A webhook needs a secret.')
  if (secrets.every((secret) => /^whsec_\S+$/.test(secret))) return secrets
  throw new TypeError('A secret must be its whole text: whsec_, what follows, and no space or line end.')
}

type Standard = {
  readonly headers: WebhookHeaders
  readonly secrets: readonly string[]
  readonly text: string
  readonly id: string
  readonly now: Seconds
  readonly tolerance: Seconds
}

/** Covers the whole body and the time of the attempt, but only if nobody has parsed the body yet. */
async function verifyStandard({ headers, secrets, text, id, now, tolerance }: Standard): Promise<void> {
  const header = headerOf(headers, 'webhook-signature')
  if (header === null) return
  const signatures = readStandardHeader(header)
  const sentId = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (sentId === null) throw missing('webhook-id')
  if (timestamp === null) throw missing('webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp))
    throw refusal('bad_header', 'The header webhook-timestamp is not a number of seconds.')
  const expected = await standardSignatures(secrets, { id: sentId, timestamp, body: text })
  if (!matchesAny(expected, signatures)) throw noMatch('webhook-signature')
  if (sentId !== id) throw differs('id', 'the header webhook-id')
  if (tolerance === 0) return
  if (Number(timestamp) > now + tolerance) throw tooEarly('webhook-timestamp')
  if (Number(timestamp) < now - tolerance)
    throw refusal(
      'stale',
      `webhook-timestamp is more than ${tolerance} seconds ago: this may be a replay. If webhooks wait before you verify them, set toleranceSeconds.`,
    )
}

async function standardSignatures(secrets: readonly string[], text: StandardText): Promise<string[]> {
  const signatures = await Promise.all(secrets.map((secret) => standardSignatureOf(secret, text)))
  return signatures.filter((signature) => signature !== null)
}

/** A header that came more than once is one list, as HTTP has it. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  const entries: Iterable<readonly [string, string | readonly string[] | undefined]> =
    Symbol.iterator in headers
      ? (headers as Iterable<readonly [string, string]>)
      : Object.entries(headers as Record<string, string>)
  const values = [...entries]
    .filter(([label]) => label.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 0 ? null : values.join(', ')
}

/** The text of a body that nobody has parsed; null if somebody has. */
function textOf(body: VerifyWebhook['body']): string | null {
  if (typeof body === 'string') return body
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) return null
  try {
    // A lenient decoder would give other bytes than those that were signed.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body as Uint8Array)
  } catch {
    throw refusal('bad_body', 'The body is not UTF-8. Is it still compressed?')
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own words quote the body.
    throw refusal('bad_body', `${what} is not JSON. Is it passed on whole, as it was sent?`)
  }
}

type Members = Readonly<Record<string, unknown>>

function envelopeIn(body: unknown): Members & { readonly data: string } {
  if (!isObject(body)) throw refusal('bad_body', 'The body is not an object. Is this an event at all?')
  const { data } = body
  if (typeof data !== 'string')
    throw refusal(
      'data_not_string',
      'data of the event is not a string. It is JSON in a string and signed as such: pass the body as it was sent, or parsed once.',
    )
  // UTF-8 has no half of a pair: it would be signed as another character, which could then be exchanged.
  if (/\p{Surrogate}/u.test(data)) throw refusal('bad_body', 'data of the event is not well-formed Unicode.')
  return { ...body, data }
}

/** Only `data` is signed by `signature-digest`, so whoever reads the envelope must read the same. */
function contentIn(envelope: Members & { readonly data: string }, t: string): Members & { id: string } {
  const content = parsed(envelope.data, 'data of the event')
  if (!isObject(content)) throw refusal('bad_body', 'data of the event does not hold an object.')
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

const refusal = (...[reason, message]: ConstructorParameters<typeof WebhookVerificationError>) =>
  new WebhookVerificationError(reason, message)

const missing = (name: string) =>
  refusal('no_header', `The header ${name} is missing. Does a proxy drop it, or did somebody else send this?`)

const noMatch = (name: string) =>
  refusal(
    'no_match',
    `No signature of ${name} was made with your secret. Is it the secret of this endpoint, with whsec_, and is the body what was sent?`,
  )

const tooEarly = (what: string) =>
  refusal(
    'future',
    `${what} lies in the future by more than clocks differ. Is the clock of this machine right?`,
  )

const differs = (member: string, from: string) =>
  refusal('envelope_differs', `${member} in data differs from ${from}. Somebody changed what is not signed.`)
