/**
 * Why a signature does not fit, or that it does. The SDK decides whether a request is valid; what stands here finds the
 * mistake behind one that is not, by making it: leaving off `whsec_`, decoding the secret, signing the whole body,
 * writing `data` anew, taking another `t`. An old `t` is no mistake, since it is the time of creation. Pure.
 */
import { verifyWebhook, WebhookVerificationError } from '@switchyard/sdk'
import {
  bytesOf,
  type DigestHeader,
  decodedSecret,
  digestHeaderIn,
  firstDifference,
  headersIn,
  hmacHex,
} from './signed.ts'

export type Submission = {
  readonly body: string
  /** One to a line, as `name: value`. */
  readonly headers: string
  readonly secret: string
  /** What the receiver's own code came to, in hexadecimal; empty if it is not known. */
  readonly computed: string
  readonly now: Date
}

export type VerdictCode =
  | 'valid'
  | 'valid_earlier_secret'
  | 'wrong_secret'
  | 'prefix_cut_off'
  | 'secret_decoded'
  | 'whole_body_signed'
  | 'data_written_again'
  | 't_altered'
  | 'unknown_versions'
  | 'unreadable'
  | 'refused'

export type Verdict = { readonly code: VerdictCode; readonly text: string }

export const isValid = ({ code }: Verdict) => code === 'valid' || code === 'valid_earlier_secret'

type Signed = { readonly body: string; readonly data: string; readonly t: string }

export async function verdictOf(given: Submission): Promise<Verdict> {
  const headers = headersIn(given.headers)
  const header = headers.get('signature-digest')
  if (header === undefined) return unreadable('The headers have no signature-digest. Does a proxy drop it?')
  const digest = digestHeaderIn(header)
  if (digest.t === null) return unreadable('signature-digest has no t. Is it whole?')
  if (digest.v1.length === 0) return onlyUnknown(digest)
  const data = dataIn(given.body)
  if (typeof data !== 'string') return data
  const signed = { body: given.body, data, t: digest.t }
  const found = await headerVerdict(given, headers, digest, signed)
  return isValid(found) ? ((await computedVerdict(given, signed)) ?? found) : found
}

async function headerVerdict(
  given: Submission,
  headers: ReadonlyMap<string, string>,
  digest: DigestHeader,
  signed: Signed,
): Promise<Verdict> {
  const own = await hmacHex(bytesOf(given.secret), `${signed.t}.${signed.data}`)
  const place = digest.v1.indexOf(own)
  if (place >= 0) return confirmed(given, headers, place)
  const mistake = await mistakeBehind(digest.v1, given.secret, signed)
  return mistake ?? { code: 'wrong_secret', text: wrongSecret }
}

const wrongSecret =
  'No signature was made with this secret, nor by any mistake known here. Is it the secret of this endpoint, and is the body what came in?'

/** It fits; the SDK looks at the rest, such as the envelope, which is not signed. */
async function confirmed(
  { body, secret, now }: Submission,
  headers: ReadonlyMap<string, string>,
  place: number,
): Promise<Verdict> {
  try {
    await verifyWebhook({ body, headers, secret, toleranceSeconds: 0, now })
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { code: 'refused', text: error.message }
    return { code: 'refused', text: (error as Error).message }
  }
  if (place === 0) return { code: 'valid', text: 'The newest secret signed exactly this.' }
  return {
    code: 'valid_earlier_secret',
    text: `Signature ${place + 1} fits: this is an earlier secret, which goes on only until its overlap ends. Change to the newest one.`,
  }
}

/** The request is good, but the receiver's code came to something else. */
async function computedVerdict({ computed, secret }: Submission, signed: Signed): Promise<Verdict | null> {
  const own = computed.trim().toLowerCase()
  if (own === '') return null
  if (own === (await hmacHex(bytesOf(secret), `${signed.t}.${signed.data}`))) return null
  const mistake = await mistakeBehind([own], secret, signed)
  if (mistake !== null)
    return { ...mistake, text: `The request is valid, but your code is not: ${mistake.text}` }
  return {
    code: 'wrong_secret',
    text: 'The request is valid, but your code came to something else, by no mistake known here. Does it have another secret?',
  }
}

async function mistakeBehind(
  signatures: readonly string[],
  secret: string,
  signed: Signed,
): Promise<Verdict | null> {
  for (const { code, key, text, says } of mistakes(secret, signed))
    if (key !== null && signatures.includes(await hmacHex(key, text))) return { code, text: says }
  return null
}

type Mistake = {
  readonly code: VerdictCode
  readonly key: Uint8Array<ArrayBuffer> | null
  readonly text: string
  readonly says: string
}

function mistakes(secret: string, { body, data, t }: Signed): readonly Mistake[] {
  const [key, text] = [bytesOf(secret), `${t}.${data}`]
  const again = writtenAgain(data)
  const created = createdSeconds(data)
  const cutOff =
    'whsec_ was cut off. For signature-digest the whole text of the secret is the key, whsec_ included.'
  return [
    { code: 'prefix_cut_off', key: bytesOf(`whsec_${secret}`), text, says: cutOff },
    { code: 'prefix_cut_off', key: bytesOf(secret.replace(/^whsec_/, '')), text, says: cutOff },
    {
      code: 'prefix_cut_off',
      key: bytesOf(secret.trim()),
      text,
      says: 'There is a space or a line end around the secret.',
    },
    {
      code: 'secret_decoded',
      key: decodedSecret(secret),
      text,
      says: 'The secret was decoded from base64. That is right for webhook-signature, and wrong for signature-digest.',
    },
    {
      code: 'whole_body_signed',
      key,
      text: `${t}.${body}`,
      says: 'The whole body was signed. signature-digest covers the text of data alone, behind t and a dot.',
    },
    { code: 'data_written_again', key, text: `${t}.${again}`, says: rewritten(data, again) },
    {
      code: 't_altered',
      key,
      text: `${created}.${data}`,
      says: `t was altered: it is ${t}, but ${created} was signed, the second in which the event was created.`,
    },
  ]
}

function rewritten(data: string, again: string): string {
  const place = firstDifference(data, again)
  return `data was parsed and written again: the texts part at byte ${place ?? 0}. Sign the very characters that came.`
}

function writtenAgain(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data))
  } catch {
    return data
  }
}

function createdSeconds(data: string): number {
  try {
    return Math.floor(Date.parse(JSON.parse(data).created_at) / 1000)
  } catch {
    return Number.NaN
  }
}

function dataIn(body: string): string | Verdict {
  try {
    const { data } = JSON.parse(body)
    if (typeof data === 'string') return data
    return unreadable(
      'data of the body is not a text. It is JSON in a string: something has parsed it already.',
    )
  } catch {
    return unreadable('The body is not JSON. Paste it whole, as it came in.')
  }
}

function onlyUnknown({ others }: DigestHeader): Verdict {
  if (others.length === 0) return unreadable('signature-digest has no v1. Is it whole?')
  return {
    code: 'unknown_versions',
    text: `signature-digest has only versions that nobody knows yet (${others.join(', ')}). Skip them, and look for v1.`,
  }
}

function unreadable(text: string): Verdict {
  return { code: 'unreadable', text }
}
