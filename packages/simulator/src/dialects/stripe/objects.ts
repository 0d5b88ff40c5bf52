/** The objects of the Stripe API, with the members of npm package `stripe` 23.1. No side effects. */
import type { Dispute } from '../../disputes.ts'
import type { OperationRecord } from '../../protocol.ts'
import type { ReturnRecord } from '../../returns.ts'
import { fromLedger } from './amounts.ts'
import { cardErrorOf } from './declines.ts'
import type { Attempt, Progress } from './progress.ts'
import {
  type Customer,
  type Intent,
  isSetup,
  type Method,
  type RedirectMethod,
  type Refund,
} from './stored.ts'

export const apiVersion = '2026-10-28.endive'

const seconds = (at: string) => Math.floor(Date.parse(at) / 1000)
/** Members that this emulation never sets. */
const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]))
const chargeId = (intent: Intent, { index }: Attempt) => `ch_${intent.id.slice(3)}${index === 0 ? '' : index}`
/** The id of the intent of a charge. */
export const intentOfCharge = (id: string) => `pi_${id.slice(3, 27)}`

export function intentObject(intent: Intent, progress: Progress): object {
  return isSetup(intent) ? setupIntentObject(intent, progress) : paymentIntentObject(intent, progress)
}

function paymentIntentObject(intent: Intent, progress: Progress): object {
  const { status, authorized, captured, charge } = progress
  const isCapturable = status === 'requires_capture' || (status === 'processing' && authorized > 0)
  return {
    ...nulls(
      'allowed_payment_method_types application_fee_amount processing receipt_email review shipping statement_descriptor transfer_data transfer_group',
    ),
    ...commonMembers(intent, progress),
    object: 'payment_intent',
    amount: intent.amount,
    amount_capturable: isCapturable ? authorized - captured : 0,
    amount_details: { tip: {} },
    amount_received: captured,
    canceled_at: intent.cancellation === null || status !== 'canceled' ? null : intent.cancellation.at,
    capture_method: intent.captureMethod,
    confirmation_method: 'automatic',
    currency: intent.currency,
    last_payment_error: lastErrorOf(intent, progress),
    latest_charge: charge === null ? null : chargeId(intent, charge),
    setup_future_usage: intent.futureUsage,
    statement_descriptor_suffix: intent.statementSuffix,
  }
}

function setupIntentObject(intent: Intent, progress: Progress): object {
  const { attempt } = progress
  return {
    ...nulls('attach_to_self flow_directions mandate single_use_mandate'),
    ...commonMembers(intent, progress),
    object: 'setup_intent',
    last_setup_error: lastErrorOf(intent, progress),
    latest_attempt: attempt === null ? null : `setatt_${intent.id.slice(5)}${attempt.index}`,
    usage: intent.futureUsage,
  }
}

/** The members that both kinds of intents have. */
function commonMembers(intent: Intent, { status, attempt, metadata }: Progress): object {
  const isDeclined = attempt?.record.status === 'declined' && status === 'requires_payment_method'
  return {
    ...nulls(
      'application automatic_payment_methods customer_account excluded_payment_method_types on_behalf_of payment_method_configuration_details',
    ),
    id: intent.id,
    cancellation_reason: status === 'canceled' ? (intent.cancellation?.reason ?? null) : null,
    client_secret: clientSecretOf(intent),
    created: intent.created,
    customer: intent.customer,
    description: intent.description,
    livemode: false,
    metadata,
    next_action: status === 'requires_action' ? nextActionOf(intent, attempt?.record) : null,
    payment_method: isDeclined ? null : (attempt?.method?.id ?? intent.method),
    payment_method_options: { card: { request_three_d_secure: intent.threeDSecure } },
    payment_method_types: [typeOf(attempt?.method ?? null)],
    status,
  }
}

function typeOf(method: Method | null): string {
  return method?.redirect ?? (method?.iban === undefined ? 'card' : 'sepa_debit')
}

/** The bank with which the payer has paid. */
function bankOf(type: RedirectMethod): object {
  const account = { bic: 'INGBNL2A', iban_last4: '5264', verified_name: 'T. Tester' }
  const noDebit = nulls('generated_sepa_debit generated_sepa_debit_mandate')
  return type === 'ideal'
    ? { ...account, ...noDebit, bank: 'ing' }
    : { ...account, ...noDebit, bank_code: 'VAPE', bank_name: 'VAN DE PUT & CO', preferred_language: 'en' }
}

export const clientSecretOf = ({ id }: Intent) => `${id}_secret_${id.slice(-12)}`

/** Without a return URL only the browser SDK of Stripe can continue. */
function nextActionOf({ returnUrl }: Intent, record: OperationRecord | undefined): object {
  const url = record?.action?.url ?? null
  return returnUrl === null
    ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
    : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
}

function lastErrorOf(intent: Intent, { status, attempt, charge }: Progress): object | null {
  const decline = attempt?.record.decline
  if (status !== 'requires_payment_method' || attempt === null || decline === undefined) return null
  return {
    ...cardErrorOf(decline, isSetup(intent)),
    ...(charge?.index === attempt.index && !isSetup(intent) ? { charge: chargeId(intent, charge) } : {}),
    ...(attempt.method === null ? {} : { payment_method: methodObject(attempt.method, null) }),
  }
}

/** The error that reports a decline. It contains the intent. */
export function declineObject(intent: Intent, progress: Progress): object {
  const name = isSetup(intent) ? 'setup_intent' : 'payment_intent'
  return { error: { ...lastErrorOf(intent, progress), [name]: intentObject(intent, progress) } }
}

const chargeStatuses: { readonly [status: string]: string } = { succeeded: 'succeeded', pending: 'pending' }

export function chargeObject(intent: Intent, progress: Progress, attempt: Attempt): object {
  const { record, method } = attempt
  const error = record.decline === undefined ? null : cardErrorOf(record.decline, false)
  return {
    ...nulls('application application_fee application_fee_amount calculated_statement_descriptor'),
    ...nulls(
      'failure_balance_transaction on_behalf_of receipt_email receipt_number receipt_url review shipping',
    ),
    ...nulls('source_transfer statement_descriptor transfer_data transfer_group'),
    ...chargedMembers(intent, progress, record),
    id: chargeId(intent, attempt),
    object: 'charge',
    billing_details: billingOf(method),
    created: intent.created,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: method?.iban === undefined ? (error?.code ?? null) : (record.decline?.code ?? null),
    failure_message: error?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    outcome: outcomeOf(record, error),
    payment_intent: intent.id,
    payment_method: method?.id ?? null,
    payment_method_details: chargedMethodOf(intent, attempt),
    statement_descriptor_suffix: intent.statementSuffix,
    status: chargeStatuses[record.status] ?? 'failed',
  }
}

function chargedMethodOf(intent: Intent, attempt: Attempt): object {
  const { iban, redirect } = attempt.method ?? {}
  if (redirect !== undefined) return { type: redirect, [redirect]: bankOf(redirect) }
  if (iban === undefined) return { card: cardDetailsOf(intent, attempt), type: 'card' }
  return {
    sepa_debit: { ...bankAccountOf(iban), mandate: `mandate_${intent.id.slice(3)}` },
    type: 'sepa_debit',
  }
}

/** What was charged, captured and refunded. */
function chargedMembers(intent: Intent, progress: Progress, record: OperationRecord): object {
  const paid = record.status === 'succeeded'
  const { isFinal, captured, refunded } = paid ? progress : { isFinal: false, captured: 0, refunded: 0 }
  const isCaptured = isFinal && captured > 0
  return {
    amount: amountOf(intent, record),
    amount_captured: captured,
    amount_refunded: refunded,
    balance_transaction: captured > 0 ? `txn_${intent.id.slice(3)}` : null,
    captured: isCaptured,
    paid,
    refunded: isCaptured && refunded >= captured,
  }
}

/** The amount that was authorized, which may differ from the requested amount. */
function amountOf(intent: Intent, { status, amount }: OperationRecord): number {
  return status === 'succeeded' && amount !== null ? fromLedger(amount, intent.currency) : intent.amount
}

function outcomeOf({ status }: OperationRecord, error: { readonly [name: string]: string } | null): object {
  return {
    advice_code: error?.advice_code ?? null,
    network_advice_code: error?.network_advice_code ?? null,
    network_decline_code: error?.network_decline_code ?? null,
    network_status: error === null ? 'approved_by_network' : 'declined_by_network',
    reason: error?.decline_code ?? null,
    risk_level: 'normal',
    seller_message: error?.message ?? 'Payment complete.',
    type: status === 'declined' ? 'issuer_declined' : 'authorized',
  }
}

function cardDetailsOf(intent: Intent, { record, method }: Attempt): object {
  const { capture_before_at: before, network_transaction_id: id } = record
  return {
    ...(method === null ? {} : cardOf(method)),
    amount_authorized: record.status === 'succeeded' ? amountOf(intent, record) : null,
    authorization_code: null,
    ...(before === undefined ? {} : { capture_before: seconds(before) }),
    extended_authorization: { status: 'disabled' },
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    mandate: null,
    multicapture: { status: intent.isMulticapture ? 'available' : 'unavailable' },
    network: method?.brand ?? null,
    network_token: { used: false },
    network_transaction_id: id ?? null,
    transaction_link_id: null,
    overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
    three_d_secure: null,
  }
}

const fundingNetworks: { readonly [brand: string]: string } = { amex: 'american_express' }

function cardOf({ brand, last4, expMonth, expYear, scenario }: Method) {
  return {
    brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'unchecked' },
    country: 'US',
    exp_month: expMonth,
    exp_year: expYear,
    fingerprint: `simulated${scenario.replaceAll(/\W/g, '')}`,
    funding: 'credit',
    last4,
    regulated_status: null,
    wallet: null,
  }
}

function billingOf(method: Method | null): object {
  return {
    address: nulls('city country line1 line2 postal_code state'),
    ...nulls('email phone tax_id'),
    name: method?.name ?? null,
  }
}

export function methodObject(method: Method, customer: string | null): object {
  return {
    id: method.id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingOf(method),
    ...detailsOf(method),
    created: method.created,
    customer,
    customer_account: null,
    livemode: false,
    metadata: method.metadata,
  }
}

function detailsOf(method: Method): object {
  const { redirect } = method
  if (redirect !== undefined)
    return { type: redirect, [redirect]: redirect === 'ideal' ? { bank: null, bic: null } : {} }
  if (method.iban !== undefined) return { type: 'sepa_debit', sepa_debit: bankAccountOf(method.iban) }
  const card = {
    ...cardOf(method),
    display_brand: fundingNetworks[method.brand] ?? method.brand,
    generated_from: null,
    networks: { available: [method.brand], preferred: null },
    three_d_secure_usage: { supported: true },
  }
  return { type: 'card', card }
}

function bankAccountOf(iban: string): object {
  return {
    bank_code: iban.slice(4, 12),
    branch_code: '',
    country: iban.slice(0, 2),
    fingerprint: null,
    last4: iban.slice(-4),
  }
}

export function customerObject({ id, created, email, name, description, metadata }: Customer): object {
  return {
    ...nulls('address currency default_source discount phone shipping test_clock'),
    id,
    object: 'customer',
    balance: 0,
    created,
    delinquent: false,
    description,
    email,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: nulls('custom_fields default_payment_method footer rendering_options'),
    livemode: false,
    metadata,
    name,
    next_invoice_sequence: 1,
    preferred_locales: [],
    tax_exempt: 'none',
  }
}

const refundStatuses: { readonly [status: string]: string } = {
  succeeded: 'succeeded',
  pending: 'pending',
  declined: 'failed',
}

export function refundObject(
  refund: Refund,
  record: OperationRecord,
  intent: Intent,
  charge: Attempt | null,
) {
  const status = refundStatuses[record.status] ?? 'canceled'
  return {
    ...nulls('customer_account receipt_number source_transfer_reversal transfer_reversal'),
    id: refund.id,
    object: 'refund',
    amount: fromLedger(record.amount ?? 0, intent.currency),
    balance_transaction: status === 'succeeded' ? `txn_${refund.id.slice(3)}` : null,
    charge: charge === null ? null : chargeId(intent, charge),
    created: refund.created,
    currency: intent.currency,
    customer: intent.customer,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    ...(status === 'failed' ? { failure_reason: 'declined' } : {}),
    metadata: refund.metadata,
    payment_intent: refund.intent,
    payment_method: intent.method,
    reason: refund.reason,
    status,
  }
}

const disputeStatuses: { readonly [state: string]: string } = {
  'inquiry needs_response': 'warning_needs_response',
  'inquiry under_review': 'warning_under_review',
  'inquiry closed': 'warning_closed',
  'pre_arbitration needs_response': 'appeal_needs_response',
  'pre_arbitration under_review': 'appeal_under_review',
}

const disputeReasons: { readonly [reason: string]: string } = {
  not_received: 'product_not_received',
  not_as_described: 'product_unacceptable',
  subscription_cancelled: 'subscription_canceled',
  authorization: 'debit_not_authorized',
  processing_error: 'general',
  other: 'general',
}

export function disputeObject({ id: intentId, currency }: Intent, dispute: Dispute): object {
  const { id, stage, status, reason, network_reason_code: code } = dispute
  const dueBy = dispute.respond_by_at === null ? null : secondsOf(dispute.respond_by_at)
  return {
    id,
    object: 'dispute',
    amount: fromLedger(dispute.amount, currency),
    balance_transactions: balanceTransactionsOf(dispute, currency),
    charge: `ch_${intentId.slice(3)}`,
    created: secondsOf(dispute.opened_at),
    currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    intended_submission_method: null,
    is_charge_refundable: stage === 'inquiry',
    livemode: false,
    metadata: {},
    network_reason_code: code,
    payment_intent: intentId,
    payment_method_details: {
      card: {
        brand: 'visa',
        case_type: stage === 'inquiry' ? 'inquiry' : 'chargeback',
        network_reason_code: code,
      },
      type: 'card',
    },
    reason: disputeReasons[reason] ?? reason,
    status: disputeStatuses[`${stage} ${status}`] ?? status,
  }
}

/** Stripe reports the return of a debit as a dispute that is already lost when it is opened. */
export function returnObject(intent: Intent, returned: ReturnRecord, at: number): object {
  const time = new Date(at).toISOString()
  const dispute = {
    id: `dp_${returned.id.slice(4)}`,
    parent_reference: returned.parent_reference,
    stage: 'chargeback',
    status: 'lost',
    amount: returned.amount,
    currency: returned.currency,
    reason: 'debit_not_authorized',
    network_reason_code: returned.reason_code,
    respond_by_at: null,
    withdrawn: true,
    fee: null,
    opened_at: time,
    updated_at: time,
  }
  return { ...disputeObject(intent, dispute), payment_method_details: { type: 'sepa_debit' } }
}

/** The withdrawal with its fee, and the return of the amount if the dispute was won. */
function balanceTransactionsOf({ id, amount, withdrawn, fee, status }: Dispute, currency: string): object[] {
  const sum = fromLedger(amount, currency)
  const members = { object: 'balance_transaction', currency, type: 'adjustment' }
  const charged = fee === null ? 0 : fromLedger(fee.amount, fee.currency)
  const withdrawal = { ...members, id: `txn_${id.slice(3)}`, amount: -sum, fee: charged, net: -sum - charged }
  if (withdrawn) return [withdrawal]
  if (status !== 'won' || fee === null) return []
  return [withdrawal, { ...members, id: `txn_${id.slice(3)}r`, amount: sum, fee: 0, net: sum }]
}

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000)
