/**
 * Writes objects to S3-compatible storage. Requests are signed with Signature Version 4 and sent like all requests to URLs
 * that users have configured, so they cannot reach our own network. The bucket is part of the path, which every
 * implementation supports. Must not be used inside a unit of work.
 */
import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Mode } from '../kernel/id.ts'
import type { Outbound, OutboundReply } from './outbound/outbound.ts'

export type Bucket = {
  readonly mode: Mode
  readonly endpointUrl: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Only requests of the same pool share connections. */
  readonly pool: string
}

export type StorageError = {
  readonly code:
    | 'access_denied'
    | 'bucket_not_found'
    | 'wrong_region'
    | 'unreachable'
    | 'rejected'
    | 'server_error'
  /** One sentence without untrusted text. */
  readonly message: string
}

export type StorageResult<T> =
  | { readonly is: 'ok'; readonly value: T }
  | { readonly is: 'failed'; readonly error: StorageError }

export type ObjectStorage = {
  putObject(key: string, body: Uint8Array, contentType: string): Promise<StorageResult<null>>
  /** Returns the id of the upload. */
  startUpload(key: string, contentType: string): Promise<StorageResult<string>>
  /**
   * Parts are numbered from 1. Each part except the last must have at least 5 MiB. Returns the entity tag of
   * the part.
   */
  putPart(part: UploadPart, body: Uint8Array): Promise<StorageResult<string>>
  /** The object exists after this call, and not before. */
  completeUpload(key: string, uploadId: string, tags: readonly string[]): Promise<StorageResult<null>>
  /** Deletes the parts of an upload that will not be completed. */
  abortUpload(key: string, uploadId: string): Promise<StorageResult<null>>
}
export type UploadPart = { readonly key: string; readonly uploadId: string; readonly number: number }

type Call = {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly key: string
  readonly query?: { readonly [name: string]: string }
  readonly body?: Uint8Array
  readonly contentType?: string
}
type Answer = Extract<OutboundReply, { readonly kind: 'answered' }>

const timeoutMs = 120_000
/** Responses are short documents. */
const maxResponseBytes = 65_536
const none = new Uint8Array()

export function openBucket(outbound: Outbound, bucket: Bucket): ObjectStorage {
  const send = async <T>(call: Call, read: (answer: Answer) => T | null): Promise<StorageResult<T>> => {
    const reply = await outbound.send(await requestOf(bucket, call))
    if (reply.kind === 'failed') return failed('unreachable', reply.detail)
    const value = reply.status >= 200 && reply.status < 300 ? read(reply) : null
    return value === null ? errorOf(reply) : { is: 'ok', value }
  }
  const done = async (call: Call, isDone: (answer: Answer) => boolean = () => true) => {
    const result = await send(call, (answer) => (isDone(answer) ? true : null))
    return result.is === 'ok' ? { is: 'ok' as const, value: null } : result
  }
  return {
    putObject: (key, body, contentType) => done({ method: 'PUT', key, body, contentType }),
    startUpload: (key, contentType) =>
      send({ method: 'POST', key, query: { uploads: '' }, contentType }, ({ body }) =>
        elementOf(body, 'UploadId', /^[\w.~+/=-]{1,1024}$/),
      ),
    putPart: ({ key, uploadId, number }, body) =>
      send(
        { method: 'PUT', key, query: { partNumber: String(number), uploadId }, body },
        ({ headers }) => headers.etag ?? null,
      ),
    completeUpload: (key, uploadId, tags) =>
      // The status is sent before the parts are joined, so only the response body shows whether joining them
      // succeeded.
      done(
        {
          method: 'POST',
          key,
          query: { uploadId },
          body: Buffer.from(partList(tags)),
          contentType: 'text/xml',
        },
        ({ body }) => body.includes('<CompleteMultipartUploadResult'),
      ),
    abortUpload: (key, uploadId) => done({ method: 'DELETE', key, query: { uploadId } }),
  }
}

async function requestOf(
  { endpointUrl, bucket, mode, pool, region, accessKeyId, secretAccessKey }: Bucket,
  { method, key, query = {}, body = none, contentType }: Call,
) {
  const url = new URL(`/${bucket}/${key}`, endpointUrl)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: {
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
  })
  const signed = await signer.sign()
  return {
    method,
    url: signed.url.href,
    mode,
    headers: Object.fromEntries(signed.headers),
    body: null,
    bytes: body,
    timeoutMs,
    maxResponseBytes,
    pool,
    maxConnections: 2,
  }
}

const partList = (tags: readonly string[]) => {
  const parts = tags.map((tag, index) => {
    const escaped = tag.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped}</ETag></Part>`
  })
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}

/** The text of an element if it has the expected form. Responses are untrusted. */
function elementOf(document: string, name: string, form: RegExp): string | null {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(document)?.[1] ?? null
  return text !== null && form.test(text) ? text : null
}

const codesByName: { readonly [name: string]: StorageError['code'] } = {
  AuthorizationHeaderMalformed: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  PermanentRedirect: 'wrong_region',
  TemporaryRedirect: 'wrong_region',
  NoSuchBucket: 'bucket_not_found',
}

function errorOf({ status, body }: Answer): StorageResult<never> {
  const name = elementOf(body, 'Code', /^[A-Za-z]{1,64}$/)
  const answer = name === null ? `status ${status}` : `status ${status} (${name})`
  const code = codeOf(status, name)
  return failed(code, `${explanations[code]} The storage returned ${answer}.`)
}

function codeOf(status: number, name: string | null): StorageError['code'] {
  const known = name === null ? undefined : codesByName[name]
  if (known !== undefined) return known
  if (status === 401 || status === 403) return 'access_denied'
  if (status === 404) return 'bucket_not_found'
  if (status >= 300 && status < 400) return 'wrong_region'
  return status >= 500 || status === 429 ? 'server_error' : 'rejected'
}

const explanations: { readonly [Code in StorageError['code']]: string } = {
  access_denied: 'The access key is wrong, or may not write to this bucket.',
  bucket_not_found: 'The bucket does not exist at this endpoint.',
  wrong_region: 'The bucket is in another region: check the region and the endpoint URL.',
  unreachable: 'The storage cannot be reached.',
  rejected: 'The storage rejected the request.',
  server_error: 'The storage is unavailable.',
}

function failed(code: StorageError['code'], message: string): StorageResult<never> {
  return { is: 'failed', error: { code, message } }
}
