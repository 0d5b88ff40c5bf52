/** Runs a request as an operation of the simulator, once per idempotency key. */
import { createHash, randomUUID } from 'node:crypto'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { performOperation } from '../../operations.ts'
import { isObject, type OperationRecord } from '../../protocol.ts'
import { type Account, findObject } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { withIdempotencyKey } from '../idempotency.ts'
import { type Details, indexRecord, saveDetails } from './details.ts'
import { invalid, isTransient, keyInUse, transient, unauthorized, unknownStoredCard } from './errors.ts'
import type { OperationBody } from './requests.ts'

const keyValidMs = 7 * 24 * 3_600_000

/** A header of the response contains the key, so that the merchant knows that the request was idempotent. */
export async function withKey(
  context: DialectContext,
  call: IncomingCall,
  run: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const key = keyOf(call)
  if (key === null) return run()
  if (key.length > 64) return invalid('702', 'The idempotency key must have at most 64 characters.')
  const request = {
    key,
    content: contentOf(call),
    windowMs: keyValidMs,
    conflict: keyInUse,
    inProgress: transient(keyInUse),
    // According to the OpenAPI document, other responses do not contain the key.
    isStored: (reply: Reply) => hasKey(reply) && !isTransient(reply),
  }
  const reply = await withIdempotencyKey(context, request, run)
  return hasKey(reply) ? { ...reply, headers: { ...reply.headers, 'idempotency-key': key } } : reply
}

function hasKey({ status }: Reply): boolean {
  return status === 200 || status === 201 || status === 422
}

function keyOf({ headers }: IncomingCall): string | null {
  return headers['idempotency-key']?.toString() || null
}

function contentOf({ method, path, bytes }: IncomingCall): string {
  return `${method} ${path}\n${bytes.toString('base64')}`
}

type OperationInput = { readonly operation: OperationBody; readonly details: Details }
type Performed = { readonly reply: Reply; readonly record: OperationRecord | null }

/** The record is null if the operation was not executed. `reply` is then the response. */
export async function perform(
  context: DialectContext,
  call: IncomingCall,
  { operation, details }: OperationInput,
): Promise<Performed> {
  const { account, origin } = context
  const fingerprint = fingerprintOf(account, call)
  const reference = referenceFor(account, details.merchantReference, fingerprint)
  saveDetails(context, reference, details)
  const body = { parent_reference: null, ...operation, reference, mode: 'test' }
  const reply = await performOperation(context, { reference, body, fingerprint, origin })
  const record = recordIn(reply)
  // Adyen rejects a payment in the response, and a modification by webhook.
  const isRejected = record?.status === 'rejected' && details.event === 'AUTHORISATION'
  if (record === null || record.provider_reference === null || isRejected)
    return { reply: failureOf(reply), record: null }
  indexRecord(context, record)
  return { reply, record }
}

/** Requests with the same key are equal until the key expires. Without a key, each request is a separate one. */
function fingerprintOf(account: Account, call: IncomingCall): string {
  const key = keyOf(call)
  const expired = findObject(account, `idempotency/${key}`) as { readonly at?: number } | undefined
  const content = `${key} ${expired?.at ?? ''} ${contentOf(call)}`
  return key === null ? randomUUID() : createHash('sha256').update(content).digest('base64url')
}

/** A merchant reference can be used several times. Each request with it is a separate operation. */
function referenceFor(account: Account, merchantReference: string, fingerprint: string): string {
  const isFree = (reference: string) => {
    const existing = account.operations.get(reference)
    return existing === undefined || existing.fingerprint === fingerprint
  }
  let reference = merchantReference
  for (let count = 2; !isFree(reference); count += 1) reference = `${merchantReference}#${count}`
  return reference
}

function recordIn({ body }: Reply): OperationRecord | null {
  return isObject(body) && 'reference' in body ? (body as unknown as OperationRecord) : null
}

function failureOf(reply: Reply): Reply {
  const error = recordIn(reply)?.error
  if (isObject(reply.body) && reply.body.processed === false) {
    const { status } = reply
    const body = { status, errorCode: '901', message: 'Not processed', errorType: 'internal' }
    return transient({ ...reply, body })
  }
  if (error === undefined) return reply
  if (error.code === 'provider_credentials_invalid') return { ...reply, ...unauthorized }
  return error.code === 'stored_credential_invalid' ? unknownStoredCard : invalid('702', error.message)
}
