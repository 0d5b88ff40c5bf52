/** Interprets the disputes of Stripe, and responds to them. An object that cannot be read is `Unreadable`. */
import { Type } from 'typebox'
import type { Money } from '../../kernel/money.ts'
import type {
  BuildContext,
  ConnectorConfig,
  DisputeFound,
  DisputeInput,
  DisputeOutcome,
  DisputeReason,
  DisputeReport,
  DisputeResponse,
  DisputeSteps,
  EvidenceField,
  EvidenceFile,
  FileOutcome,
  FileUpload,
  HttpCall,
  HttpReply,
} from '../contract.ts'
import { reasonOfNetworkCode } from '../dispute-reasons.ts'
import { readerOf, Unreadable } from '../read.ts'
import { get, post } from './request.ts'
import {
  credentialsRefused,
  faultOf as errorFaultOf,
  failed,
  moneyOf,
  type Rejected,
  readError,
  rejected,
  type Unknown,
  unexpected,
} from './response.ts'
import { Dispute } from './wire.ts'

/** Source: type `Dispute.Status` of the npm package `stripe` 23.1. An appeal contests the decision of a chargeback. */
// biome-ignore format: a table.
const states: ReadonlyMap<string, Pick<DisputeReport, 'stage' | 'status'>> = new Map([
  ['warning_needs_response', { stage: 'inquiry',         status: 'needs_response' }],
  ['warning_under_review',   { stage: 'inquiry',         status: 'under_review'   }],
  ['warning_closed',         { stage: 'inquiry',         status: 'closed'         }],
  ['prevented',              { stage: 'inquiry',         status: 'closed'         }],
  ['needs_response',         { stage: 'chargeback',      status: 'needs_response' }],
  ['under_review',           { stage: 'chargeback',      status: 'under_review'   }],
  ['won',                    { stage: 'chargeback',      status: 'won'            }],
  ['lost',                   { stage: 'chargeback',      status: 'lost'           }],
  ['appeal_needs_response',  { stage: 'pre_arbitration', status: 'needs_response' }],
  ['appeal_under_review',    { stage: 'pre_arbitration', status: 'under_review'   }],
] as const)

const reasons: ReadonlyMap<string, DisputeReason> = new Map([
  ['credit_not_processed', 'credit_not_processed'],
  ['debit_not_authorized', 'authorization'],
  ['duplicate', 'duplicate'],
  ['fraudulent', 'fraudulent'],
  ['product_not_received', 'not_received'],
  ['product_unacceptable', 'not_as_described'],
  ['subscription_canceled', 'subscription_cancelled'],
  ['unrecognized', 'fraudulent'],
] as const)

export function reportOf(dispute: Dispute, createdSeconds: number): DisputeReport {
  const state = states.get(dispute.status)
  if (state === undefined || createdSeconds === 0)
    throw new Unreadable('The dispute has an unknown status, or the event has no time.')
  const networkReasonCode = dispute.network_reason_code ?? null
  const dueBy = dispute.evidence_details?.due_by ?? null
  return {
    ...state,
    providerReference: dispute.id,
    money: moneyOf(dispute.amount, dispute.currency),
    reason: reasons.get(dispute.reason) ?? reasonOfNetworkCode(networkReasonCode ?? ''),
    networkReasonCode,
    respondByAt: dueBy === null ? null : new Date(dueBy * 1000),
    isWithdrawn: isWithdrawn(dispute),
    fee: feeOf(dispute),
    reportedAt: new Date(createdSeconds * 1000),
  }
}

/** Whether Stripe has withdrawn more than it has returned. */
function isWithdrawn({ balance_transactions: transactions }: Dispute): boolean | null {
  if (transactions === undefined || transactions === null) return null
  return transactions.reduce((sum, { amount }) => sum + amount, 0) < 0
}

function feeOf({ balance_transactions: transactions }: Dispute): Money | null {
  const [first] = transactions ?? []
  if (first === undefined) return null
  const sum = (transactions ?? []).reduce((total, { fee }) => total + fee, 0)
  return moneyOf(Math.max(sum, 0), first.currency)
}

type Context = BuildContext<ConnectorConfig>

/** Source: type `DisputeUpdateParams.Evidence` of the npm package `stripe` 23.1. */
const evidenceNames: { readonly [F in EvidenceField]: string } = {
  explanation: 'uncategorized_text',
  product_description: 'product_description',
  customer_name: 'customer_name',
  customer_email: 'customer_email_address',
  customer_ip: 'customer_purchase_ip',
  billing_address: 'billing_address',
  service_date: 'service_date',
  access_log: 'access_activity_log',
  shipping_address: 'shipping_address',
  shipping_carrier: 'shipping_carrier',
  shipping_date: 'shipping_date',
  shipping_tracking_number: 'shipping_tracking_number',
  cancellation_rebuttal: 'cancellation_rebuttal',
  refund_refusal_explanation: 'refund_refusal_explanation',
  duplicate_charge_explanation: 'duplicate_charge_explanation',
}

const fileNames: { readonly [P in EvidenceFile['purpose']]: string } = {
  receipt: 'receipt',
  customer_communication: 'customer_communication',
  customer_signature: 'customer_signature',
  shipping_documentation: 'shipping_documentation',
  service_documentation: 'service_documentation',
  cancellation_policy: 'cancellation_policy',
  refund_policy: 'refund_policy',
  duplicate_charge_documentation: 'duplicate_charge_documentation',
  other: 'uncategorized_file',
}

/** Stripe has one field for the files of each purpose. */
function faultOf({ files }: { readonly files: readonly EvidenceFile[] }): string | null {
  const purposes = files.map(({ purpose }) => purpose)
  const repeated = purposes.find((purpose, index) => purposes.indexOf(purpose) !== index)
  if (repeated === undefined) return null
  return `Stripe accepts one file with the purpose ${repeated}. Combine the files into one PDF file.`
}

function submit({ reference, evidence, files, ...input }: DisputeResponse, context: Context): HttpCall {
  const texts = Object.entries(evidence).map(([field, text]) => [evidenceNames[field as EvidenceField], text])
  const ids = files.map(({ purpose, providerFileId }) => [fileNames[purpose], providerFileId])
  // The ids of the files differ if the files were uploaded again after a day. Then it is a different request.
  const key = [reference, ...ids.map(([, id]) => id)].join('-').slice(0, 255)
  return post(context, pathOf(input), key, { evidence: Object.fromEntries([...texts, ...ids]), submit: true })
}

/** Files have their own host. The emulator has one host for everything. */
function upload({ file, content }: FileUpload, context: Context): HttpCall {
  const { url, headers } = post(context, '/v1/files', `file-${file.sha256}`, {})
  const boundary = `switchyard-${file.sha256.slice(0, 32)}`
  const name = file.name.replaceAll(/[^\w .-]/g, '_')
  const start = [
    `--${boundary}`,
    'content-disposition: form-data; name="purpose"',
    '',
    'dispute_evidence',
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${name}"`,
    `content-type: ${file.contentType}`,
    '',
    '',
  ].join('\r\n')
  return {
    method: 'POST',
    url: url.replace('https://api.stripe.com/', 'https://files.stripe.com/'),
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: null,
    bytes: Buffer.concat([Buffer.from(start), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

const File = Type.Object({ id: Type.String({ pattern: '^file_\\w+$' }), object: Type.Literal('file') })
const readFile = readerOf(File)

function uploadIn(reply: HttpReply): FileOutcome {
  if (reply.status !== 200) return disputeFailureIn(reply)
  return { is: 'uploaded', providerFileId: readFile(reply.body).id }
}

function accept(input: DisputeInput, context: Context): HttpCall {
  return post(context, `${pathOf(input)}/close`, input.reference, {})
}

function pathOf({ providerReference }: Pick<DisputeInput, 'providerReference'>): string {
  return `/v1/disputes/${encodeURIComponent(providerReference)}`
}

const readDispute = readerOf(Dispute)

/** A response with a status other than 200 to a request about a dispute. */
function disputeFailureIn(reply: HttpReply): Rejected | Unknown {
  const { status } = reply
  if (status === 401 || status === 403) return credentialsRefused(reply)
  if (![400, 404, 429].includes(status)) return unexpected(reply)
  const { error } = readError(reply.body)
  if (status === 429 && error.code === 'rate_limit')
    return rejected(errorFaultOf(error, 'provider_rate_limited'), reply)
  return error.type === 'invalid_request_error' && status !== 429
    ? rejected(errorFaultOf(error, 'provider_request_invalid'), reply)
    : failed(error)
}

/** A dispute that still needs a response contradicts the status 200. */
function outcomeIn(reply: HttpReply, input: DisputeInput): DisputeOutcome {
  if (reply.status !== 200) return disputeFailureIn(reply)
  const { status, reportedAt } = reportIn(reply, input)
  if (status !== 'needs_response') return { is: 'accepted', reportedAt }
  return { is: 'unknown', fault: { code: 'unclear_state', message: 'The dispute still needs a response.' } }
}

function foundIn(reply: HttpReply, input: DisputeInput): DisputeFound {
  if (reply.status === 200) return { is: 'found', report: reportIn(reply, input) }
  return {
    is: 'unknown',
    fault: { code: 'unexpected_answer', message: `Unexpected status ${reply.status}.` },
  }
}

/** A dispute has no time of its last change, so the time of the response is used. */
function reportIn({ body, headers }: HttpReply, { providerReference }: DisputeInput): DisputeReport {
  const dispute = readDispute(body)
  if (dispute.id !== providerReference) throw new Unreadable('The dispute has a different id.')
  const answeredMs = Date.parse(headers.date ?? '')
  if (Number.isNaN(answeredMs)) throw new Unreadable('The response has no time.')
  return reportOf(dispute, answeredMs / 1000)
}

export const disputes: DisputeSteps<ConnectorConfig> = {
  faultOf,
  upload: { build: upload, parse: uploadIn },
  submit: { build: submit, parse: outcomeIn },
  accept: { build: accept, parse: outcomeIn },
  lookup: { build: (input, context) => get(context, pathOf(input), {}), parse: foundIn },
}
