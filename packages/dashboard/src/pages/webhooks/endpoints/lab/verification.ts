/**
 * Whether a signature matches, and if not, why. The SDK decides whether a request is valid. This file finds the mistake
 * in an invalid one by trying common mistakes: omitting `whsec_`, decoding the secret, signing the whole body,
 * serializing `data` again, using another `t`. An old `t` is not a mistake, since it is the time of creation. No side
 * effects.
 */
import { verifyWebhook, WebhookVerificationError } from '@switchyard/sdk'
import {
  bytesOf,
  type DigestHeader,
  decodedSecret,
  firstDifference,
  hmacHex,
  parseDigestHeader,
  parseHeaders,
} from './signatures.ts'

export type Submission = {
  readonly body: string
  /** One per line, as `name: value`. */
  readonly headers: string
  readonly secret: string
  /** The signature that the receiver's code computed, in hexadecimal; empty if not known. */
  readonly computed: string
  readonly now: Date
}

export type ResultCode =
  | 'valid'
  | 'valid_earlier_secret'
  | 'wrong_secret'
  | 'prefix_missing'
  | 'secret_decoded'
  | 'whole_body_signed'
  | 'data_reserialized'
  | 't_changed'
  | 'unknown_versions'
  | 'unreadable'
  | 'rejected'

export type VerificationResult = { readonly code: ResultCode; readonly text: string }

export const isValid = ({ code }: VerificationResult) => code === 'valid' || code === 'valid_earlier_secret'

type SignedParts = { readonly body: string; readonly data: string; readonly t: string }

export async function verifySubmission(submission: Submission): Promise<VerificationResult> {
  const headers = parseHeaders(submission.headers)
  const header = headers.get('signature-digest')
  if (header === undefined)
    return unreadable('The signature-digest header is missing. Check whether a proxy removes it.')
  const digest = parseDigestHeader(header)
  if (digest.t === null) return unreadable('signature-digest has no t. Check that the header is complete.')
  if (digest.v1.length === 0) return unknownVersions(digest)
  const data = dataIn(submission.body)
  if (typeof data !== 'string') return data
  const signed = { body: submission.body, data, t: digest.t }
  const result = await checkHeader(submission, headers, digest, signed)
  return isValid(result) ? ((await checkComputed(submission, signed)) ?? result) : result
}

async function checkHeader(
  submission: Submission,
  headers: ReadonlyMap<string, string>,
  digest: DigestHeader,
  signed: SignedParts,
): Promise<VerificationResult> {
  const expected = await hmacHex(bytesOf(submission.secret), `${signed.t}.${signed.data}`)
  const index = digest.v1.indexOf(expected)
  if (index >= 0) return verifyWithSdk(submission, headers, index)
  const mistake = await findMistake(digest.v1, submission.secret, signed)
  return mistake ?? { code: 'wrong_secret', text: wrongSecret }
}

const wrongSecret =
  'No signature matches this secret, and no common mistake explains it. Check that the secret belongs to this endpoint and that the body is exactly what was received.'

/** `signature-digest` matches; the SDK verifies the rest. Without the webhook-* headers it cannot check for a replay. */
async function verifyWithSdk(
  { body, secret, now }: Submission,
  headers: ReadonlyMap<string, string>,
  index: number,
): Promise<VerificationResult> {
  const signatureDigestOnly = !headers.has('webhook-signature')
  try {
    await verifyWebhook({ body, headers, secret, toleranceSeconds: 0, signatureDigestOnly, now })
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { code: 'rejected', text: error.message }
    return { code: 'rejected', text: (error as Error).message }
  }
  const missing = signatureDigestOnly
    ? ' The webhook-* headers are missing, so this may be a replay. The SDK rejects it unless signatureDigestOnly is set.'
    : ''
  if (index === 0) return { code: 'valid', text: `Signed with the newest secret.${missing}` }
  return {
    code: 'valid_earlier_secret',
    text: `Signature ${index + 1} matches: this is an earlier secret, which is valid only until its overlap ends. Switch to the newest secret.${missing}`,
  }
}

/** The request is valid, but the receiver's code computed a different signature. */
async function checkComputed(
  { computed, secret }: Submission,
  signed: SignedParts,
): Promise<VerificationResult | null> {
  const signature = computed.trim().toLowerCase()
  if (signature === '') return null
  if (signature === (await hmacHex(bytesOf(secret), `${signed.t}.${signed.data}`))) return null
  const mistake = await findMistake([signature], secret, signed)
  if (mistake !== null)
    return { ...mistake, text: `The request is valid, but your code has a mistake: ${mistake.text}` }
  return {
    code: 'wrong_secret',
    text: 'The request is valid, but your code computed a different signature, and no common mistake explains it. Check that your code uses the same secret.',
  }
}

async function findMistake(
  signatures: readonly string[],
  secret: string,
  signed: SignedParts,
): Promise<VerificationResult | null> {
  for (const { code, key, text, explanation } of mistakes(secret, signed))
    if (key !== null && signatures.includes(await hmacHex(key, text))) return { code, text: explanation }
  return null
}

type Mistake = {
  readonly code: ResultCode
  readonly key: Uint8Array<ArrayBuffer> | null
  readonly text: string
  readonly explanation: string
}

function mistakes(secret: string, { body, data, t }: SignedParts): readonly Mistake[] {
  const [key, text] = [bytesOf(secret), `${t}.${data}`]
  const reserializedData = reserialized(data)
  const createdAtSeconds = createdSecondsOf(data)
  const prefixMissingText =
    'The whsec_ prefix is missing. For signature-digest the key is the full secret, including whsec_.'
  return [
    { code: 'prefix_missing', key: bytesOf(`whsec_${secret}`), text, explanation: prefixMissingText },
    {
      code: 'prefix_missing',
      key: bytesOf(secret.replace(/^whsec_/, '')),
      text,
      explanation: prefixMissingText,
    },
    {
      code: 'prefix_missing',
      key: bytesOf(secret.trim()),
      text,
      explanation: 'The secret has leading or trailing whitespace.',
    },
    {
      code: 'secret_decoded',
      key: decodedSecret(secret),
      text,
      explanation:
        'The secret was decoded from base64. That is correct for webhook-signature, but wrong for signature-digest.',
    },
    {
      code: 'whole_body_signed',
      key,
      text: `${t}.${body}`,
      explanation: 'The whole body was signed. signature-digest signs only t, a dot, and the string in data.',
    },
    {
      code: 'data_reserialized',
      key,
      text: `${t}.${reserializedData}`,
      explanation: reserializedText(data, reserializedData),
    },
    {
      code: 't_changed',
      key,
      text: `${createdAtSeconds}.${data}`,
      explanation: `t was changed: it is ${t}, but ${createdAtSeconds} was signed, the Unix time at which the event was created.`,
    },
  ]
}

function reserializedText(data: string, reserializedData: string): string {
  const index = firstDifference(data, reserializedData)
  return `data was parsed and serialized again: the first difference is at byte ${index ?? 0}. Verify the exact characters that were received.`
}

function reserialized(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data))
  } catch {
    return data
  }
}

function createdSecondsOf(data: string): number {
  try {
    return Math.floor(Date.parse(JSON.parse(data).created_at) / 1000)
  } catch {
    return Number.NaN
  }
}

function dataIn(body: string): string | VerificationResult {
  try {
    const { data } = JSON.parse(body)
    if (typeof data === 'string') return data
    return unreadable(
      'data in the body is not a string. It must be a string that contains JSON: something has already parsed it.',
    )
  } catch {
    return unreadable('The body is not JSON. Paste the complete body, exactly as received.')
  }
}

function unknownVersions({ others }: DigestHeader): VerificationResult {
  if (others.length === 0) return unreadable('signature-digest has no v1. Check that the header is complete.')
  return {
    code: 'unknown_versions',
    text: `signature-digest has only unknown signature versions (${others.join(', ')}). Ignore them, and look for v1.`,
  }
}

function unreadable(text: string): VerificationResult {
  return { code: 'unreadable', text }
}
