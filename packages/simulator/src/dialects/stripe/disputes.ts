/** Disputes and their files: reads disputes, submits evidence, and closes (accepts) disputes. */
import { createHash } from 'node:crypto'
import { type Dispute, findDispute, respond } from '../../disputes.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import type { AccountContext } from '../../run-operation.ts'
import { findObject, saveObject } from '../../simulator-state.ts'
import { settle } from './captures.ts'
import { invalidRequest, missing } from './errors.ts'
import { disputeObject } from './objects.ts'
import { boolean, expand, type Rules, text, type Values } from './parameters.ts'
import { newId, ownerOf } from './stored.ts'

const textFields = [
  'access_activity_log',
  'billing_address',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'product_description',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'uncategorized_text',
]

const fileFields = [
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'duplicate_charge_documentation',
  'receipt',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
  'uncategorized_file',
]

export const disputeRules: Rules = {
  ...Object.fromEntries(fileFields.map((name) => [`evidence[${name}]`, text()])),
  ...expand,
  submit: boolean,
  ...Object.fromEntries(textFields.map((name) => [`evidence[${name}]`, text(20_000)])),
}

/** Accepts a file and stores only its id, which is derived from the content. */
export function createFile({ state, account }: AccountContext, { bytes, headers }: IncomingCall): Reply {
  const isForm = headers['content-type']?.startsWith('multipart/form-data; boundary=') ?? false
  if (!isForm || !bytes.includes('name="purpose"\r\n\r\ndispute_evidence\r\n'))
    throw invalidRequest('The purpose is missing.', { param: 'purpose' })
  const id = `file_${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}`
  saveObject(state, account, id, { id })
  return { status: 200, body: { id, object: 'file', purpose: 'dispute_evidence', size: bytes.length } }
}

function requireFile({ account }: AccountContext, id: string | undefined): void {
  if (id !== undefined && findObject(account, id) === undefined) throw missing('file', id)
}

export function readDispute(context: AccountContext, id: string): Reply {
  return replyWith(context, requireDispute(context, id))
}

export function updateDispute(context: AccountContext, id: string, values: Values): Reply | Promise<Reply> {
  const dispute = requireDispute(context, id)
  for (const name of fileFields) requireFile(context, values[`evidence[${name}]`])
  const text = values['evidence[uncategorized_text]']
  return values.submit === 'true'
    ? sendResponse(context, dispute, 'under_review', text)
    : replyWith(context, dispute)
}

export function closeDispute(context: AccountContext, id: string): Promise<Reply> {
  return sendResponse(context, requireDispute(context, id), 'lost')
}

async function sendResponse(
  context: AccountContext,
  dispute: Dispute,
  status: 'under_review' | 'lost',
  text?: string,
): Promise<Reply> {
  const reply = await respond(context, dispute, { reference: newId('response'), status, text })
  if (reply.status !== 200) throw invalidRequest('This dispute can no longer be responded to.')
  const { afterSend } = reply
  const answer = replyWith(context, requireDispute(context, dispute.id))
  return afterSend === undefined ? answer : { ...answer, afterSend }
}

function requireDispute({ account }: AccountContext, id: string): Dispute {
  const dispute = findDispute(account, id)
  if (dispute === undefined) throw missing('dispute', id)
  return dispute
}

function replyWith(context: AccountContext, dispute: Dispute): Reply {
  const intent = settle(context, ownerOf(context.account, dispute.parent_reference) ?? '')
  if (intent === undefined) throw missing('dispute', dispute.id)
  return { status: 200, body: disputeObject(intent, dispute) }
}
