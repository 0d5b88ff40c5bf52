/** Disputes against charges, opened and decided by calls of the control API. Merchants respond to them. */
import { createHash, randomUUID } from 'node:crypto'
import type { Reply } from './faults.ts'
import { isObject } from './protocol.ts'
import { errorReply } from './records.ts'
import type { AccountContext } from './run-operation.ts'
import { disputeOf } from './scenarios.ts'
import { type Account, findObject, type Operation, saveObject } from './simulator-state.ts'

const stages = ['inquiry', 'chargeback', 'pre_arbitration', 'arbitration']
const statuses = ['needs_response', 'under_review', 'won', 'lost', 'closed']

/** The record of the `custom` protocol. `opened_at` is for other dialects. */
export type Dispute = {
  readonly id: string
  readonly parent_reference: string
  readonly stage: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly reason: string
  readonly network_reason_code: string | null
  readonly respond_by_at: string | null
  readonly withdrawn: boolean
  readonly fee: { readonly amount: number; readonly currency: string } | null
  readonly opened_at: string
  readonly updated_at: string
}

type Members = { readonly [name: string]: unknown }

const keyOf = (id: string) => `dispute/${id}`
const responseMs = 10 * 86_400_000

/** Opens a dispute against a captured charge. Everything but `parent_reference` has a default. */
export function openDispute(context: AccountContext, { parent_reference: parent, ...members }: Members) {
  const { state, account } = context
  const charge = typeof parent === 'string' ? account.operations.get(parent) : undefined
  if (charge?.request == null || charge.record?.status !== 'succeeded')
    return errorReply(400, 'invalid', 'A dispute requires the parent_reference of a successful charge.')
  const { amount, currency } = charge.request
  const stage = members.stage ?? 'chargeback'
  const opened = {
    id: `dp_${randomUUID().replaceAll('-', '')}`,
    parent_reference: charge.reference,
    stage: 'chargeback',
    status: 'needs_response',
    amount,
    currency,
    reason: 'fraudulent',
    network_reason_code: '10.4',
    respond_by_at: new Date(state.clock.now() + responseMs).toISOString(),
    withdrawn: stage !== 'inquiry',
    fee: stage === 'inquiry' ? null : { amount: 1500, currency },
    opened_at: '',
    updated_at: '',
  }
  return save(context, opened, members)
}

/** Opens the dispute that the test card specifies, once the charge is captured. */
export async function openScenarioDispute(context: AccountContext, operation: Operation): Promise<void> {
  const { state, account } = context
  const { reference, request, scenario } = operation
  const dispute = disputeOf(scenario)
  const isCaptured = account.operations.get(reference)?.record?.status === 'succeeded'
  const isCharge = request?.kind === 'capture' || (request?.kind === 'authorize' && request.capture)
  const id = `dp_${createHash('sha256').update(`${account.name}/${reference}`).digest('hex').slice(0, 24)}`
  // A repeated request does not open a second dispute.
  if (dispute === null || !isCaptured || !isCharge || findDispute(account, id) !== undefined) return
  await openDispute(context, {
    id,
    parent_reference: request.parent_reference ?? reference,
    stage: dispute.stage,
    amount: request.amount,
    reason: dispute.reason,
    network_reason_code: dispute.reason === 'fraudulent' ? '10.4' : '13.1',
    respond_by_at: new Date(state.clock.now() + dispute.responseMs).toISOString(),
  })
}

/** Changes a dispute. A decision returns the amount, or keeps it; an escalation withdraws it again. */
export function changeDispute(context: AccountContext, { id, ...members }: Members) {
  const before = typeof id === 'string' ? findDispute(context.account, id) : undefined
  if (before === undefined) return errorReply(404, 'not_found', 'Unknown dispute.')
  return save(context, before, { ...withdrawalOf(before, members), ...members })
}

function withdrawalOf({ status, stage }: Dispute, members: Members): { readonly withdrawn?: boolean } {
  if (members.status === 'won' || members.status === 'closed') return { withdrawn: false }
  const isReopened = members.status === 'needs_response' && status !== 'needs_response'
  const isClaimed = members.stage !== undefined && members.stage !== 'inquiry' && members.stage !== stage
  return isReopened || isClaimed ? { withdrawn: true } : {}
}

export function findDispute(account: Account, id: string): Dispute | undefined {
  return findObject(account, keyOf(id)) as Dispute | undefined
}

export function readDispute(account: Account, id: string): Reply {
  const dispute = findDispute(account, id)
  return dispute === undefined
    ? errorReply(404, 'not_found', 'Unknown dispute.')
    : { status: 200, body: dispute }
}

type SentResponse = {
  readonly reference: string
  readonly status: MerchantResponse['status']
  readonly text?: unknown
}
type MerchantResponse = { readonly body: unknown; readonly status: 'under_review' | 'lost' }

/** A repeated request returns the dispute. */
export function respondToDispute(
  context: AccountContext,
  id: string,
  { body, status }: MerchantResponse,
): Reply | Promise<Reply> {
  const reference = isObject(body) && typeof body.reference === 'string' ? body.reference : ''
  const dispute = findDispute(context.account, id)
  if (dispute === undefined) return refusal(404, 'not_found', 'Unknown dispute.')
  if (reference === '') return refusal(400, 'invalid', 'The reference is missing.')
  if (isResponded(context.account, reference)) return { status: 200, body: dispute }
  if (isFileMissing(context.account, body)) return refusal(422, 'file_missing', 'A file was not uploaded.')
  const evidence = isObject(body) && isObject(body.evidence) ? body.evidence : {}
  return respond(context, dispute, { reference, status, text: evidence.explanation })
}

/** Only the hash is kept. */
export function storeFile({ state, account }: AccountContext, sha256: string, bytes: Buffer): Reply {
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    return refusal(400, 'hash_mismatch', 'The content does not match the hash.')
  saveObject(state, account, fileKeyOf(sha256), { size: bytes.length })
  return { status: 204 }
}

const fileKeyOf = (sha256: string) => `file/${sha256}`

function isFileMissing(account: Account, body: unknown): boolean {
  const files = isObject(body) && Array.isArray(body.files) ? body.files : []
  return files.some((file) => findObject(account, fileKeyOf(String(file?.sha256))) === undefined)
}

/**
 * Refuses a late response, and a response to a dispute that does not need one. The text `winning_evidence` or
 * `losing_evidence` decides the dispute.
 */
export async function respond(
  context: AccountContext,
  dispute: Dispute,
  { reference, status, text }: SentResponse,
): Promise<Reply> {
  const { state, account } = context
  if (dispute.status !== 'needs_response')
    return refusal(409, 'dispute_not_open', 'The dispute does not need a response.')
  if (dispute.respond_by_at !== null && Date.parse(dispute.respond_by_at) < state.clock.now())
    return refusal(422, 'deadline_passed', 'The deadline for the response has passed.')
  saveObject(state, account, responseKeyOf(reference), { dispute: dispute.id })
  const reply = await save(context, dispute, { status })
  const decision = decisionOf(dispute, text)
  if (decision === null) return reply
  return { ...reply, afterSend: () => changeDispute(context, { id: dispute.id, ...decision }) }
}

/** An inquiry is closed, or becomes a chargeback. */
function decisionOf({ stage }: Dispute, text: unknown): Members | null {
  if (text === 'winning_evidence') return { status: stage === 'inquiry' ? 'closed' : 'won' }
  if (text !== 'losing_evidence') return null
  return stage === 'inquiry' ? { stage: 'chargeback', status: 'needs_response' } : { status: 'lost' }
}

export function isResponded(account: Account, reference: string): boolean {
  return findObject(account, responseKeyOf(reference)) !== undefined
}

const responseKeyOf = (reference: string) => `dispute-response/${reference}`

function refusal(status: number, code: string, message: string): Reply {
  return { status, body: { processed: false, error: { code, message } } }
}

async function save({ state, account }: AccountContext, before: Dispute, members: Members): Promise<Reply> {
  const unknown = Object.keys(members).filter((name) => !(name in before))
  const updated_at = timeAfter(state.clock.now(), before)
  const dispute = { ...before, opened_at: before.opened_at || updated_at, updated_at, ...members } as Dispute
  if (unknown.length > 0 || !stages.includes(dispute.stage) || !statuses.includes(dispute.status))
    return errorReply(
      400,
      'invalid',
      `Unknown or invalid members: ${unknown.join(', ') || 'stage or status'}.`,
    )
  saveObject(state, account, keyOf(dispute.id), dispute)
  await state.journal.durable()
  await account.outbox.sendDispute(dispute)
  return { status: 200, body: dispute }
}

/** Whether nothing has changed since the dispute was opened. */
export function isNew({ opened_at, updated_at }: Dispute): boolean {
  return opened_at === updated_at
}

/** Each state of a dispute has a later time than the one before. */
function timeAfter(nowMs: number, { updated_at: previous }: Dispute): string {
  const previousMs = previous === '' ? 0 : Date.parse(previous)
  return new Date(Math.max(nowMs, previousMs + 1)).toISOString()
}
