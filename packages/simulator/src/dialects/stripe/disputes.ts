/** Disputes: reading them, submitting evidence, and closing them, which accepts them. */
import { type Dispute, findDispute, respond } from '../../disputes.ts'
import type { Reply } from '../../faults.ts'
import type { AccountContext } from '../../run-operation.ts'
import { settle } from './captures.ts'
import { invalidRequest, missing } from './errors.ts'
import { disputeObject } from './objects.ts'
import { boolean, expand, type Rules, text, type Values } from './parameters.ts'
import { newId, ownerOf } from './stored.ts'

const texts = [
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

export const disputeRules: Rules = {
  ...expand,
  submit: boolean,
  ...Object.fromEntries(texts.map((name) => [`evidence[${name}]`, text(20_000)])),
}

export function readDispute(context: AccountContext, id: string): Reply {
  return replyWith(context, requireDispute(context, id))
}

export function updateDispute(context: AccountContext, id: string, values: Values): Reply | Promise<Reply> {
  const dispute = requireDispute(context, id)
  return values.submit === 'true' ? end(context, dispute, 'under_review') : replyWith(context, dispute)
}

export function closeDispute(context: AccountContext, id: string): Promise<Reply> {
  return end(context, requireDispute(context, id), 'lost')
}

async function end(
  context: AccountContext,
  dispute: Dispute,
  status: 'under_review' | 'lost',
): Promise<Reply> {
  const reply = await respond(context, dispute, { reference: newId('response'), status })
  if (reply.status !== 200) throw invalidRequest('This dispute can no longer be responded to.')
  return replyWith(context, requireDispute(context, dispute.id))
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
