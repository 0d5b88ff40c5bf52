/**
 * Interprets the dispute webhooks of Adyen, and responds to disputes with its Disputes API, version 30 (see
 * docs.adyen.com/risk-management/disputes-api/dispute-notifications). The event code, which is signed,
 * determines the state of the dispute. The members of `additionalData` are not signed, so they are only used
 * to explain the dispute, or to confirm an event code that is not conclusive on its own.
 */
import { Type } from 'typebox'
import type {
  BuildContext,
  ConnectorConfig,
  DisputeInput,
  DisputeOutcome,
  DisputeReport,
  DisputeSteps,
  EvidenceFile,
  EvidenceTexts,
  FileOutcome,
  FileUpload,
  HttpCall,
  HttpReply,
} from '../contract.ts'
import { reasonOfNetworkCode } from '../dispute-reasons.ts'
import { jsonCall } from '../http-call.ts'
import { readerOf } from '../read.ts'
import { refusalIn as serviceErrorIn } from './response.ts'

type State = Pick<DisputeReport, 'stage' | 'status' | 'isWithdrawn'>

// biome-ignore format: a table.
const states: ReadonlyMap<string, State> = new Map<string, State>([
  ['REQUEST_FOR_INFORMATION',         { stage: 'inquiry',         status: 'needs_response', isWithdrawn: false }],
  ['NOTIFICATION_OF_CHARGEBACK',      { stage: 'chargeback',      status: 'needs_response', isWithdrawn: false }],
  ['CHARGEBACK',                      { stage: 'chargeback',      status: 'needs_response', isWithdrawn: true  }],
  ['INFORMATION_SUPPLIED',            { stage: 'inquiry',         status: 'under_review',   isWithdrawn: null  }],
  // Adyen returns the amount, but the bank can still contest the defense.
  ['CHARGEBACK_REVERSED',             { stage: 'chargeback',      status: 'under_review',   isWithdrawn: false }],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { stage: 'chargeback',    status: 'won',            isWithdrawn: false }],
  ['SECOND_CHARGEBACK',               { stage: 'pre_arbitration', status: 'lost',           isWithdrawn: true  }],
  ['PREARBITRATION_OPEN',             { stage: 'pre_arbitration', status: 'needs_response', isWithdrawn: null  }],
  ['PREARBITRATION_ISSUER_WITHDRAWN', { stage: 'pre_arbitration', status: 'won',            isWithdrawn: false }],
  ['PREARBITRATION_WON',              { stage: 'pre_arbitration', status: 'won',            isWithdrawn: false }],
  ['PREARBITRATION_LOST',             { stage: 'pre_arbitration', status: 'lost',           isWithdrawn: true  }],
  ['SCHEME_ARBITRATION',              { stage: 'arbitration',     status: 'under_review',   isWithdrawn: null  }],
  ['SCHEME_ARBITRATION_WON',          { stage: 'arbitration',     status: 'won',            isWithdrawn: false }],
  ['SCHEME_ARBITRATION_LOST',         { stage: 'arbitration',     status: 'lost',           isWithdrawn: true  }],
])

/** These events end a dispute only if `disputeStatus` says how. */
const stagesByStatusEvent: ReadonlyMap<string, DisputeReport['stage']> = new Map([
  ['DISPUTE_DEFENSE_PERIOD_ENDED', 'chargeback'],
  ['PREARBITRATION_ACCEPTED', 'pre_arbitration'],
  ['PREARBITRATION_DECLINED', 'pre_arbitration'],
] as const)

// biome-ignore format: a table.
const statesByStatus: ReadonlyMap<unknown, Pick<State, 'status' | 'isWithdrawn'>> = new Map<unknown, Pick<State, 'status' | 'isWithdrawn'>>([
  ['Lost',     { status: 'lost',         isWithdrawn: true  }],
  ['Accepted', { status: 'lost',         isWithdrawn: true  }],
  ['Won',      { status: 'won',          isWithdrawn: false }],
  ['Pending',  { status: 'under_review', isWithdrawn: null  }],
])

export const disputeEventCodes: readonly string[] = [...states.keys(), ...stagesByStatusEvent.keys()]

/** Null if the event says nothing about the state of the dispute. */
export function stateOf(eventCode: string, disputeStatus: unknown): State | null {
  const stage = stagesByStatusEvent.get(eventCode)
  const confirmed = statesByStatus.get(disputeStatus)
  if (stage !== undefined) return confirmed === undefined ? null : { stage, ...confirmed }
  const state = states.get(eventCode) ?? null
  // Adyen can defend a dispute automatically, before it withdraws the amount.
  const isDefended = state?.status === 'needs_response' && confirmed?.status === 'under_review'
  return state !== null && isDefended ? { ...state, status: 'under_review' } : state
}

/** Deadline and reason, which explain the dispute. */
export function explanationOf(data: { readonly [name: string]: unknown }) {
  const code = typeof data.chargebackReasonCode === 'string' ? data.chargebackReasonCode.trim() : ''
  return {
    reason: reasonOfNetworkCode(code),
    networkReasonCode: code === '' || code.length > 100 ? null : code,
    respondByAt: typeof data.defensePeriodEndsAt === 'string' ? dateOrNull(data.defensePeriodEndsAt) : null,
  }
}

export function dateOrNull(text: string): Date | null {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}

type Context = BuildContext<ConnectorConfig>
type Evidence = { readonly evidence: EvidenceTexts; readonly files: readonly EvidenceFile[] }

/** Adyen accepts documents only, in the formats PDF, JPEG and TIFF. A second document of a type may replace the first. */
function faultOf({ evidence, files }: Evidence): string | null {
  if (Object.keys(evidence).length > 0)
    return 'Adyen accepts only files. Put the text into a PDF file, and remove the text fields.'
  if (files.length !== 1) return 'Adyen accepts one document. Combine the files into one PDF file.'
  return files[0]?.contentType === 'image/png'
    ? 'Adyen accepts no PNG files. Upload a PDF or JPEG file.'
    : null
}

/** The reason and the document type that are not specific to a reason code of a card network. */
const defenseReasonCode = 'SupplyDefenseMaterial'
const defenseDocumentTypeCode = 'DefenseMaterial'

function upload({ file, content, ...input }: FileUpload, context: Context): HttpCall {
  const { contentType } = file
  const document = { content: Buffer.from(content).toString('base64'), contentType, defenseDocumentTypeCode }
  return call(input, context, { path: 'supplyDefenseDocument', members: { defenseDocuments: [document] } })
}

function call(
  { providerReference, reference }: DisputeInput,
  { config }: Context,
  { path, members }: { readonly path: string; readonly members: object },
): HttpCall {
  const merchantAccountCode = config.settings.merchant_account ?? ''
  return jsonCall({
    method: 'POST',
    baseUrl: baseUrlOf(config.base_url),
    path: `/ca/services/DisputeService/v30/${path}`,
    headers: { 'x-api-key': config.credentials.api_key ?? '', 'idempotency-key': `${reference}-${path}` },
    body: { disputePspReference: providerReference, merchantAccountCode, ...members },
  })
}

/** The Disputes API has its own host. The emulator has one host for everything. */
function baseUrlOf(checkoutUrl: string): string {
  const { hostname } = new URL(checkoutUrl)
  if (hostname.endsWith('.adyenpayments.com')) return 'https://ca-live.adyen.com'
  if (hostname.endsWith('.adyen.com')) return 'https://ca-test.adyen.com'
  return checkoutUrl.replace(/\/v72\/?$/, '')
}

const readResult = readerOf(
  Type.Object({
    disputeServiceResult: Type.Object({
      success: Type.Boolean(),
      errorMessage: Type.Optional(Type.String()),
    }),
  }),
)

/** Null if the request succeeded. A repeated request is refused if the first one was processed. */
function refusalIn(reply: HttpReply) {
  if (reply.status !== 200) return serviceErrorIn(reply)
  const { success, errorMessage = '' } = readResult(reply.body).disputeServiceResult
  if (success) return null
  const fault = { code: 'provider_request_invalid', message: errorMessage || 'Adyen refused the request.' }
  return { is: 'rejected', fault, thisCallOnly: true } as const
}

/**
 * The response body contains no time, so the `Date` header is used. Without that header the outcome counts as
 * older than every report.
 */
function outcomeIn(reply: HttpReply): DisputeOutcome {
  const reportedAt = dateOrNull(reply.headers.date ?? '') ?? new Date(0)
  return refusalIn(reply) ?? { is: 'accepted', reportedAt }
}

function uploadIn(reply: HttpReply): FileOutcome {
  return refusalIn(reply) ?? { is: 'uploaded', providerFileId: defenseDocumentTypeCode }
}

/** Disputes cannot be looked up. Webhooks report their state. */
export const disputes: DisputeSteps<ConnectorConfig> = {
  faultOf,
  upload: { build: upload, parse: uploadIn },
  submit: {
    build: (input, context) =>
      call(input, context, { path: 'defendDispute', members: { defenseReasonCode } }),
    parse: outcomeIn,
  },
  accept: {
    build: (input, context) => call(input, context, { path: 'acceptDispute', members: {} }),
    parse: outcomeIn,
  },
}
