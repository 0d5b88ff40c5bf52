/** Runs an operation of the simulator for a request, and applies the response mode of its scenario. */
import type { Reply } from '../../faults.ts'
import { performOperation } from '../../operations.ts'
import type { OperationRecord } from '../../protocol.ts'
import type { DialectContext } from '../dialect.ts'
import { errorReply, forbidden, rateLimited, serverError, unauthenticated, unavailable } from './errors.ts'

/** `record` is null if the operation was not executed. Then `failure` is the response. */
export type Performed = {
  readonly reply: Reply
  readonly record: OperationRecord | null
  readonly failure: Reply | null
}

export async function perform(
  context: DialectContext,
  reference: string,
  members: { readonly [name: string]: unknown },
): Promise<Performed> {
  const body = { reference, mode: 'test', ...members }
  const put = { reference, body, fingerprint: reference, origin: context.origin }
  const reply = await performOperation(context, put)
  const record = context.account.operations.get(reference)?.record ?? null
  const isExecuted = record !== null && record.status !== 'rejected'
  return isExecuted
    ? { reply, record, failure: null }
    : { reply, record: null, failure: failureOf(reply, record) }
}

function failureOf({ status, body }: Reply, record: OperationRecord | null): Reply {
  if (record === null && status === 403) return forbidden
  if (record === null && status === 429) return rateLimited
  if (record === null && status === 503) return unavailable
  const { code = '', message = 'The request is invalid.' } =
    record?.error ?? (body as Partial<OperationRecord> | undefined)?.error ?? {}
  if (code === 'provider_credentials_invalid') return unauthenticated
  return errorReply(400, { type: 'invalid_request_error', message })
}

/**
 * Applies the response mode of the scenario. A server error replaces the response: Stripe stores the error
 * and returns it again for the same key.
 */
export function sendAs({ reply, failure }: Performed, response: Reply): Reply {
  const { responseMode, delayMs, afterSend } = reply
  const isNetworkFault = responseMode !== 'server_error' && responseMode !== 'duplicate_notice'
  return {
    ...(responseMode === 'server_error' ? { status: 500, body: serverError } : (failure ?? response)),
    ...(responseMode === undefined || !isNetworkFault ? {} : { responseMode }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(afterSend === undefined ? {} : { afterSend }),
  }
}
