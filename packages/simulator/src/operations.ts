/**
 * The calls of the protocol on an operation. Each reads the state, writes at most one line to the journal, and
 * returns the response. The server sends the response after the line is synced to disk.
 */
import { chooseScenario } from './choose-scenario.ts'
import { latencyOf } from './config.ts'
import { declineOfCode } from './declines.ts'
import type { Reply } from './faults.ts'
import { problemOf } from './money.ts'
import { isObject, readRequest } from './protocol.ts'
import {
  closedReply,
  errorReply,
  notFound,
  notSupported,
  recordOf,
  rejectedReply,
  replyWith,
} from './records.ts'
import { type AccountContext, finishOperation, runOperation } from './run-operation.ts'
import { behaviourOf, type Verdict } from './scenarios.ts'
import {
  type Challenge,
  type Operation,
  recordNewOperation,
  type StoredRequest,
  saveOperation,
} from './simulator-state.ts'

export type PutRequest = {
  readonly reference: string
  readonly body: unknown
  /** The hash of the request bytes. A repeated request has the same hash. */
  readonly fingerprint: string
  /** The URL of the simulator for the payer's browser. */
  readonly origin: string
}

export async function performOperation(context: AccountContext, put: PutRequest): Promise<Reply> {
  const { state, account } = context
  const existing = account.operations.get(put.reference)
  const repeat = existing === undefined ? null : replyToRepeat(context, existing, put)
  if (repeat !== null) return repeat
  const request = readRequest(put.body, put.reference)
  if (typeof request === 'string')
    return rejectedReply(400, put.reference, 'provider_request_invalid', request)
  const choice = existing ?? chooseScenario(state, account, request)
  if ('code' in choice) return rejectedReply(422, put.reference, choice.code, choice.message)

  const { instrument: _, ...storedRequest } = request
  const { card, scenario, script } = choice
  const operation = newOperation(
    context,
    { ...put, request: storedRequest, card, scenario, script },
    existing,
  )
  recordNewOperation(state, account, operation)
  // The operation is only in memory until it is decided: after a crash here there is no record of it.
  account.operations.set(put.reference, operation)
  await state.clock.sleep(latencyOf(account.config, put.reference))
  const current = account.operations.get(put.reference)?.record
  if (current?.status === 'closed') return closedReply(current)

  const error = problemOf(account, operation)
  if (error === null) return runOperation(context, operation, put.origin)
  const record = recordOf(operation, 'rejected', { error })
  saveOperation(state, account, { ...operation, record }, null)
  return replyWith(record)
}

/** Null if the operation must be executed: it was not executed yet, or the account is not idempotent. */
function replyToRepeat(
  { account }: AccountContext,
  { record, fingerprint }: Operation,
  put: PutRequest,
): Reply | null {
  if (record?.status === 'closed') return closedReply(record)
  if (!account.config.replay) return null
  if (fingerprint !== put.fingerprint) {
    return errorReply(409, 'reference_reused', 'This reference was used with a different body.')
  }
  return record === null ? null : replyWith(record)
}

type NewOperation = PutRequest &
  Pick<Operation, 'card' | 'scenario' | 'script'> & { readonly request: StoredRequest }

function newOperation(
  { state, account }: AccountContext,
  input: NewOperation,
  existing?: Operation,
): Operation {
  const { reference, fingerprint, request, card, scenario, script } = input
  const lookupDelayMs =
    account.config.lookup_lag_ms + (behaviourOf(scenario, request.kind).lookupDelayMs ?? 0)
  const operation: Operation = {
    reference,
    request,
    fingerprint,
    card,
    scenario,
    script,
    puts: (existing?.puts ?? 0) + 1,
    created_at: existing?.created_at ?? new Date(state.clock.now()).toISOString(),
    record: null,
    visible_at: existing?.visible_at ?? state.clock.now() + lookupDelayMs,
    challenge: null,
    decision: null,
  }
  return { ...operation, record: recordOf(operation, 'pending') }
}

export async function lookUp({ state, account }: AccountContext, reference: string): Promise<Reply> {
  if (!account.config.lookup) return notSupported
  await state.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference)
  if (operation === undefined || operation.record === null) return notFound
  if (state.clock.now() < operation.visible_at) return notFound
  return { status: 200, body: operation.record }
}

/**
 * Completes 3-D Secure. The return parameters only have to contain the secret of the challenge: the simulator has
 * already stored the result.
 */
export async function completeOperation(
  context: AccountContext,
  reference: string,
  body: unknown,
): Promise<Reply> {
  const { state, account } = context
  await state.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference)
  if (operation === undefined || operation.record === null) return notFound
  const params = isObject(body) && isObject(body.return_params) ? body.return_params : {}
  if (params.challenge !== operation.challenge?.secret) return replyWith(operation.record)
  const afterSend = endChallenge(context, operation)
  const record = account.operations.get(reference)?.record ?? operation.record
  return afterSend === undefined ? replyWith(record) : { ...replyWith(record), afterSend }
}

/**
 * Ends an operation with the result of its 3-D Secure page, and returns the function that sends the webhook. Undefined
 * if the payer has not answered.
 */
export function endChallenge(
  context: AccountContext,
  operation: Operation,
): (() => Promise<void>) | undefined {
  const verdict = verdictOf(operation.challenge)
  if (verdict === null) return undefined
  const record = finishOperation(context, operation, verdict)
  return () => context.account.outbox.send('operation.updated', record)
}

function verdictOf(challenge: Challenge | null): Verdict | null {
  if (challenge?.result === 'passed') return { type: 'approve' }
  if (challenge?.result === 'failed')
    return { type: 'decline', decline: declineOfCode('authentication_failed') }
  return null
}

/**
 * Closes an operation, so that it is never executed; or returns its result if it has one. The closed record is saved
 * before the response.
 */
export async function closeOperation({ state, account }: AccountContext, reference: string): Promise<Reply> {
  if (!account.config.close) return notSupported
  await state.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference) ?? unknownOperation(reference)
  const isOpen = operation.record === null || /^(pending|action_required)$/.test(operation.record.status)
  if (operation.record !== null && !isOpen) return { status: 200, body: operation.record }
  const record = recordOf(operation, 'closed')
  saveOperation(state, account, { ...operation, record, challenge: null, decision: null }, null)
  return { status: 200, body: record }
}

function unknownOperation(reference: string): Operation {
  return {
    reference,
    request: null,
    fingerprint: null,
    card: 'approve',
    scenario: 'approve',
    script: null,
    puts: 0,
    record: null,
    visible_at: 0,
    challenge: null,
    decision: null,
  }
}
