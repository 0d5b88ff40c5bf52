/**
 * What the protocol lets a merchant do with an operation. Each verb reads the books, writes one line, and says
 * how to answer; whoever calls it waits until the line is on the disk before the answer leaves.
 */
import { chooseScenario } from './choose.ts'
import { latencyOf } from './config.ts'
import { conclude, type Place, play } from './course.ts'
import { declineOfCode } from './declines.ts'
import type { Reply } from './faults.ts'
import { problemOf } from './money.ts'
import { isObject, readRequest } from './protocol.ts'
import { closedReply, errorReply, notFound, notSupported, recordOf, refusal, replyWith } from './records.ts'
import { behaviourOf, type Verdict } from './scenarios.ts'
import { type Challenge, type KeptRequest, meet, type Operation, settle } from './world.ts'

export type Put = {
  readonly reference: string
  readonly body: unknown
  /** The hash of the bytes: a repeat sends the same. */
  readonly fingerprint: string
  /** Where the payer's browser finds the simulator. */
  readonly origin: string
}

export async function perform(place: Place, put: Put): Promise<Reply> {
  const { world, account } = place
  const known = account.operations.get(put.reference)
  const repeat = known === undefined ? null : answerToRepeat(place, known, put)
  if (repeat !== null) return repeat
  const request = readRequest(put.body, put.reference)
  if (typeof request === 'string') return refusal(400, put.reference, 'provider_request_invalid', request)
  const choice = known ?? chooseScenario(world, account, request)
  if ('code' in choice) return refusal(422, put.reference, choice.code, choice.message)

  const { instrument: _, ...kept } = request
  const { card, scenario, script } = choice
  const operation = received(place, { ...put, request: kept, card, scenario, script }, known)
  meet(world, account, operation)
  // Until it is decided it is known in memory only: a crash now means that it never came.
  account.operations.set(put.reference, operation)
  await world.clock.sleep(latencyOf(account.config, put.reference))
  const current = account.operations.get(put.reference)?.record
  if (current?.status === 'closed') return closedReply(current)

  const error = problemOf(account, operation)
  if (error === null) return play(place, operation, put.origin)
  const record = recordOf(operation, 'rejected', { error })
  settle(world, account, { ...operation, record }, null)
  return replyWith(record)
}

/** Null: it has to be done, since nothing was done so far or since this account knows no repeats. */
function answerToRepeat({ account }: Place, { record, fingerprint }: Operation, put: Put): Reply | null {
  if (record?.status === 'closed') return closedReply(record)
  if (!account.config.replay) return null
  if (fingerprint !== put.fingerprint) {
    return errorReply(409, 'reference_reused', 'This reference was used with another body.')
  }
  return record === null ? null : replyWith(record)
}

type Received = Put & Pick<Operation, 'card' | 'scenario' | 'script'> & { readonly request: KeptRequest }

function received({ world, account }: Place, given: Received, known?: Operation): Operation {
  const { reference, fingerprint, request, card, scenario, script } = given
  const blindMs = account.config.lookup_lag_ms + (behaviourOf(scenario, request.kind).blindMs ?? 0)
  const operation: Operation = {
    reference,
    request,
    fingerprint,
    card,
    scenario,
    script,
    puts: (known?.puts ?? 0) + 1,
    record: null,
    visible_at: known?.visible_at ?? world.clock.now() + blindMs,
    challenge: null,
    decision: null,
  }
  return { ...operation, record: recordOf(operation, 'pending') }
}

export async function lookUp({ world, account }: Place, reference: string): Promise<Reply> {
  if (!account.config.lookup) return notSupported
  await world.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference)
  if (operation === undefined || operation.record === null) return notFound
  if (world.clock.now() < operation.visible_at) return notFound
  return { status: 200, body: operation.record }
}

/** The payer came back. What they bring proves which page sent them; what the bank said stands in the books. */
export async function complete(place: Place, reference: string, body: unknown): Promise<Reply> {
  const { world, account } = place
  await world.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference)
  if (operation === undefined || operation.record === null) return notFound
  const params = isObject(body) && isObject(body.return_params) ? body.return_params : {}
  const { challenge } = operation
  const verdict = params.challenge === challenge?.secret ? verdictOf(challenge) : null
  if (verdict === null) return replyWith(operation.record)
  const record = conclude(place, operation, verdict)
  return { ...replyWith(record), afterwards: () => account.outbox.tell('operation.updated', record) }
}

function verdictOf(challenge: Challenge | null): Verdict | null {
  if (challenge?.result === 'passed') return { is: 'approve' }
  if (challenge?.result === 'failed')
    return { is: 'decline', decline: declineOfCode('authentication_failed') }
  return null
}

/** Makes sure that it never happens, or says what did. The tombstone is written before anybody hears of it. */
export async function close({ world, account }: Place, reference: string): Promise<Reply> {
  if (!account.config.close) return notSupported
  await world.clock.sleep(latencyOf(account.config, reference))
  const operation = account.operations.get(reference) ?? neverSeen(reference)
  const isOpen = operation.record === null || /^(pending|action_required)$/.test(operation.record.status)
  if (operation.record !== null && !isOpen) return { status: 200, body: operation.record }
  const record = recordOf(operation, 'closed')
  settle(world, account, { ...operation, record, challenge: null, decision: null }, null)
  return { status: 200, body: record }
}

function neverSeen(reference: string): Operation {
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
