/** The deadline of a dispute, its summary sentence, and what can be done about it. No side effects. */
import type { CreateFile, Dispute, File } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { sentenceCase } from '../../../format/text.ts'
import { dateText, durationText } from '../../../format/time.ts'

/** The time that is left to respond: "2 days left". Null if no response is expected, or there is no deadline. */
export function timeLeft({ status, respond_by_at: deadline }: Dispute, nowMs = Date.now()): string | null {
  if (status !== 'needs_response' || deadline === null) return null
  const ms = Date.parse(deadline) - nowMs
  return ms <= 0 ? 'overdue' : `${durationText(ms)} left`
}

export function disputeSentence(dispute: Dispute, nowMs = Date.now()): string {
  const money = moneyText(dispute.amount, dispute.currency)
  switch (dispute.status) {
    case 'needs_response':
      return `The cardholder disputes ${money}. ${responseText(dispute, nowMs)}`
    case 'submitting':
      return `Your evidence for the dispute over ${money} is being sent to the provider.`
    case 'accepting':
      return `The provider is being notified that you accept the dispute over ${money}.`
    case 'under_review':
      return `The bank is reviewing the dispute over ${money}.`
    case 'won':
      return `You won the dispute over ${money} and keep the money.`
    case 'lost':
      return `You lost the dispute over ${money}. The cardholder keeps the money.`
    case 'closed':
      return `The inquiry about ${money} ended without a chargeback.`
  }
}

function responseText(dispute: Dispute, nowMs: number): string {
  const { respond_by_at: deadline } = dispute
  if (deadline === null) return 'Submit your evidence.'
  const left = timeLeft(dispute, nowMs)
  if (left === 'overdue')
    return `The deadline of ${dateText(deadline)} has passed. The provider will report the decision.`
  return `Respond by ${dateText(deadline)}: ${left}.`
}

export type DisputeAction = 'submit' | 'accept' | 'check'

/** An inquiry claims no amount, so there is nothing to accept. */
export function actionsOf({ status, stage }: Dispute): readonly DisputeAction[] {
  if (status === 'needs_response')
    return stage === 'inquiry' ? ['submit', 'check'] : ['submit', 'accept', 'check']
  return status === 'submitting' || status === 'accepting' || status === 'under_review' ? ['check'] : []
}

export function evidenceFieldsOf({ evidence }: Dispute): readonly (readonly [string, string | null])[] {
  return Object.entries(evidence ?? {})
}

/** The fields with several lines. */
export const longFields: readonly string[] = [
  'explanation',
  'product_description',
  'billing_address',
  'access_log',
  'shipping_address',
  'cancellation_rebuttal',
  'refund_refusal_explanation',
  'duplicate_charge_explanation',
]

export function fieldText(field: string): string {
  return field === 'customer_ip' ? 'Customer IP address' : sentenceCase(field)
}

export function hasEvidence(dispute: Dispute): boolean {
  return dispute.file_ids.length > 0 || evidenceFieldsOf(dispute).some(([, text]) => text !== null)
}

export const purposes: readonly CreateFile['purpose'][] = [
  'receipt',
  'customer_communication',
  'customer_signature',
  'shipping_documentation',
  'service_documentation',
  'cancellation_policy',
  'refund_policy',
  'duplicate_charge_documentation',
  'other',
]

/** "receipt.pdf (Receipt, 47 KB)" */
export function fileText({ name, purpose, size }: File): string {
  return `${name} (${sentenceCase(purpose)}, ${Math.ceil(size / 1024)} KB)`
}
