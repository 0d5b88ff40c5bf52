/**
 * Standard webhooks. Every item has a signature of its own. Adyen's JSON webhooks usually contain one item; the
 * emulator sends two in one webhook where one change causes two events.
 */
import { createHash, createHmac } from 'node:crypto'
import type { Dispute } from '../../disputes.ts'
import { type OperationRecord, usesCard } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import { behaviourOf } from '../../scenarios.ts'
import type { Operation } from '../../simulator-state.ts'
import type { WebhookEvent, WebhookRequest } from '../dialect.ts'
import { type Amount, toWire } from './amounts.ts'
import { type Details, findDetails, indexRecord, paymentOf, pspReferenceOf, storedIdOf } from './details.ts'
import { disputePspReference } from './disputes.ts'
import { approvalData, authCodeOf } from './objects.ts'
import { refusalOf } from './refusals.ts'

type Item = {
  readonly eventCode: string
  readonly success: 'true' | 'false'
  readonly pspReference: string
  readonly originalReference?: string
  readonly merchantReference: string
  readonly merchantAccountCode: string
  readonly amount: Amount
  readonly reason: string
  readonly additionalData?: { readonly [name: string]: string }
  readonly [name: string]: unknown
}

export function webhooksOf(
  context: AccountContext,
  { record, forged }: WebhookEvent,
): readonly WebhookRequest[] {
  const operation = context.account.operations.get(record.reference)
  if (operation === undefined) return []
  indexRecord(context, record)
  return notificationOf(context, itemsOf(context, operation, record), forged)
}

/** The events of a dispute. An inquiry that ends has none. */
export function disputeWebhooks(context: AccountContext, dispute: Dispute): readonly WebhookRequest[] {
  const { account } = context
  const payment = account.operations.get(dispute.parent_reference)
  const details = findDetails(account, dispute.parent_reference)
  if (payment?.record == null || details === null) return []
  const additionalData = {
    chargebackReasonCode: dispute.network_reason_code ?? '',
    defensePeriodEndsAt: dispute.respond_by_at ?? '',
    disputeStatus: dispute.status === 'lost' ? 'Lost' : dispute.status === 'won' ? 'Won' : 'Undefended',
  }
  const { amount, currency } = dispute
  const item = {
    ...itemOf({ ...payment.record, amount, currency }, details, ''),
    pspReference: disputePspReference(dispute),
    originalReference: pspReferenceOf(payment.record),
    additionalData,
  }
  const items = disputeEvents(dispute).map((eventCode) => ({ ...item, eventCode }))
  return notificationOf(context, items, false)
}

function disputeEvents(dispute: Dispute): readonly string[] {
  const { stage, status, withdrawn } = dispute
  if (stage === 'chargeback' && status === 'needs_response')
    return withdrawn ? ['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK'] : ['NOTIFICATION_OF_CHARGEBACK']
  return disputeEventsByState[`${stage} ${status}`] ?? []
}

const disputeEventsByState: { readonly [state: string]: readonly string[] } = {
  'inquiry needs_response': ['REQUEST_FOR_INFORMATION'],
  'inquiry under_review': ['INFORMATION_SUPPLIED'],
  'chargeback under_review': ['INFORMATION_SUPPLIED'],
  'chargeback won': ['CHARGEBACK_REVERSED', 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED'],
  'chargeback lost': ['DISPUTE_DEFENSE_PERIOD_ENDED'],
  'pre_arbitration needs_response': ['PREARBITRATION_OPEN'],
  'pre_arbitration won': ['PREARBITRATION_WON'],
  'pre_arbitration lost': ['PREARBITRATION_LOST'],
  'arbitration under_review': ['SCHEME_ARBITRATION'],
  'arbitration won': ['SCHEME_ARBITRATION_WON'],
  'arbitration lost': ['SCHEME_ARBITRATION_LOST'],
}

function notificationOf(
  { state, account }: AccountContext,
  unsigned: readonly Item[],
  forged: boolean,
): readonly WebhookRequest[] {
  if (unsigned.length === 0) return []
  const {
    hmac_key: key = '',
    webhook_username: user = '',
    webhook_password: password,
  } = account.config.credentials
  const eventDate = new Date(state.clock.now()).toISOString().replace(/\.\d+Z$/, '+00:00')
  const signingKey = forged ? createHash('sha256').update(key).digest('hex') : key
  const items = unsigned.map((item) => ({
    NotificationRequestItem: signed({ ...item, eventDate }, signingKey),
  }))
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization = password === undefined ? {} : { authorization: `Basic ${credentials}` }
  const body = JSON.stringify({ live: 'false', notificationItems: items })
  return [{ contentType: 'application/json', body, headers: () => authorization }]
}

function signed(item: Item, key: string): Item {
  const { pspReference, originalReference = '', merchantAccountCode, merchantReference, amount } = item
  const { eventCode, success } = item
  const members = [pspReference, originalReference, merchantAccountCode, merchantReference]
  const text = [...members, amount.value, amount.currency, eventCode, success].join(':')
  const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64')
  return { ...item, additionalData: { ...item.additionalData, hmacSignature } }
}

/** There is no webhook about a payment that is not final. */
function itemsOf(context: AccountContext, operation: Operation, record: OperationRecord): readonly Item[] {
  if (!['succeeded', 'declined', 'rejected'].includes(record.status) || record.kind === null) return []
  const { account } = context
  const payment = paymentOf(account, operation)
  const paymentDetails = findDetails(account, payment.reference)
  if (paymentDetails === null) return []
  if (usesCard(record.kind)) return paymentItems(record, paymentDetails)
  return modificationItems(operation, record, {
    // A refund that was made in the Customer Area has no details.
    details: findDetails(account, record.reference) ?? { ...paymentDetails, event: 'REFUND' },
    paymentDetails,
    originalReference: payment.record === null ? '' : pspReferenceOf(payment.record),
  })
}

function paymentItems(record: OperationRecord, details: Details): readonly Item[] {
  const item = itemOf(record, details, 'AUTHORISATION')
  if (record.decline?.code === 'authentication_abandoned') return [{ ...item, eventCode: 'OFFER_CLOSED' }]
  if (record.status !== 'succeeded') {
    const additionalData = record.decline === undefined ? {} : refusalOf(record.decline).additionalData
    return [{ ...item, success: 'false', reason: reasonOf(record), operations: [], additionalData }]
  }
  const { last4 = '', expiryMonth = '', expiryYear = '' } = details.card ?? {}
  const reason = `${authCodeOf(record)}:${last4}:${expiryMonth}/${expiryYear}`
  const additionalData = approvalData(record, details)
  const operations = ['CANCEL', 'CAPTURE', 'REFUND']
  const authorisation = { ...item, reason, additionalData, operations }
  const id = storedIdOf(record, details)
  if (id === null) return [authorisation]
  return [authorisation, { ...contractOf(item, id), additionalData: contractData(details, id) }]
}

/** The event of a card that was stored. Its PSP reference is the id of the card. */
function contractOf(item: Item, id: string): Item {
  const { pspReference: originalReference } = item
  return {
    ...item,
    eventCode: 'RECURRING_CONTRACT',
    pspReference: id,
    originalReference,
    originalPsp: originalReference,
    amount: { ...item.amount, value: 0 },
  }
}

function contractData({ storesFor }: Details, id: string) {
  const shopperReference = storesFor ?? ''
  return {
    'recurring.shopperReference': shopperReference,
    'recurring.recurringDetailReference': id,
    shopperReference,
  }
}

type ModificationContext = {
  readonly details: Details
  readonly paymentDetails: Details
  readonly originalReference: string
}

function modificationItems(
  { scenario }: Operation,
  record: OperationRecord,
  { details, paymentDetails, originalReference }: ModificationContext,
): readonly Item[] {
  const { event } = details
  const named = event === 'TECHNICAL_CANCEL' ? paymentDetails : details
  const item = { ...itemOf(record, { ...named, card: paymentDetails.card }, event), originalReference }
  const action = record.kind === 'refund' ? 'refund' : 'cancel'
  const data = event === 'CANCEL_OR_REFUND' ? { additionalData: { 'modification.action': action } } : {}
  if (record.status === 'succeeded') return [{ ...item, ...data }]
  const failure: Item = { ...item, ...data, success: 'false', reason: reasonOf(record) }
  const isLate = record.kind !== null && behaviourOf(scenario, record.kind).processing.type === 'pending'
  if (!isLate || (event !== 'CAPTURE' && event !== 'REFUND')) return [failure]
  const reason = event === 'CAPTURE' ? 'Capture Failed' : 'Refund Failed'
  return [{ ...item, eventCode: `${event}_FAILED`, reason }, failure]
}

function itemOf(record: OperationRecord, details: Details, eventCode: string): Item {
  return {
    eventCode,
    success: 'true',
    pspReference: pspReferenceOf(record),
    merchantReference: details.merchantReference,
    merchantAccountCode: details.merchantAccount,
    amount: toWire(record.amount ?? 0, record.currency ?? ''),
    paymentMethod: details.card?.brand ?? '',
    reason: '',
  }
}

function reasonOf({ decline, error }: OperationRecord): string {
  if (decline !== undefined) return refusalOf(decline).refusalReason
  return error?.message.includes('remain') ? 'Insufficient balance on payment' : 'Transaction not found'
}
