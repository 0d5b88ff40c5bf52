/** Builds, signs and sends one request to a receiver, and interprets the response. */
import { assert } from '../../../../kernel/assert.ts'
import { idFromUuid, type Mode } from '../../../../kernel/id.ts'
import type { Outbound, OutboundReply } from '../../../../platform/outbound/outbound.ts'
import type { AttemptTrigger, DeliveryOutcome } from '../delivery.ts'
import { outcomeOf } from '../outcome.ts'
import { seconds, signatureDigest, webhookSignature } from '../signatures.ts'
import type { DueDelivery, EventContent, LaneSettings } from '../store/lanes.ts'
import type { Result } from '../store/results.ts'
import type { Secret } from './secrets.ts'

/** The rest of a longer response is not read. */
const maxResponseBytes = 16_384
const maxStoredFailureBody = 8_192
const maxStoredSuccessBody = 512
const maxStoredHeaders = 2_048

export type AttemptInput = {
  readonly mode: Mode
  readonly endpointUuid: string
  readonly settings: LaneSettings
  readonly secrets: readonly Secret[]
  readonly delivery: DueDelivery
  readonly trigger: AttemptTrigger
  /** Real time at which the request is sent: receivers compare it with their own clock. */
  readonly startedAt: Date
  /** Business time, which decides whether a secret has expired. */
  readonly now: Date
  readonly worker: string
}

export type AttemptResult = {
  /** Null: the request failed because of an internal error, which does not count as an attempt. */
  readonly outcome: DeliveryOutcome | null
  readonly status: number | null
  readonly retryAfter: string | undefined
  readonly attempt: Result['attempt']
}

/** An ended attempt, with the state of the lane when it was sent. */
export type ConcludedAttempt = AttemptResult & {
  readonly wasProbe: boolean
  readonly epoch: number
  readonly nowMs: number
}

export async function sendAttempt(outbound: Outbound, input: AttemptInput): Promise<AttemptResult> {
  const { mode, settings, delivery, endpointUuid, startedAt } = input
  const validSecrets = input.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > input.now)
  const texts = validSecrets.map(({ text }) => text)
  assert(texts.length > 0, 'A lane without a valid secret must be paused before it sends: see refills.ts.')
  const event = { ...delivery.event, id: idFromUuid('event', mode, delivery.event.uuid) as string }
  const signed = { ...event, body: bodyOf(delivery.event, event.id) }
  const timestamp = seconds(startedAt)
  const digest = signatureDigest(signed, texts)
  const signature = webhookSignature(signed, timestamp, texts)
  const reply = await outbound.send({
    url: settings.url,
    mode,
    headers: {
      'content-type': 'application/json',
      'signature-digest': digest,
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
      'switchyard-delivery': idFromUuid('delivery', mode, delivery.uuid),
      'switchyard-attempt': String(delivery.attempts + 1),
      'user-agent': 'Switchyard-Webhooks',
    },
    body: signed.body,
    timeoutMs: settings.timeoutSeconds * 1000,
    maxResponseBytes: maxResponseBytes,
    pool: endpointUuid,
    maxConnections: settings.maxInFlight,
  })
  const outcome = outcomeOf(reply)
  return {
    outcome,
    status: reply.kind === 'answered' ? reply.status : null,
    retryAfter: reply.kind === 'answered' ? reply.headers['retry-after'] : undefined,
    attempt:
      outcome === null
        ? null
        : {
            ...toAttemptRecord(input, outcome, reply),
            signatureDigest: digest,
            webhookSignature: signature,
            webhookTimestamp: timestamp,
            secretUuids: validSecrets.map(({ uuid }) => uuid),
          },
  }
}

const bodyCache = new WeakMap<EventContent, string>()

/** The request body: identical for every endpoint and attempt, because `data` is signed as text. */
function bodyOf(event: EventContent, id: string): string {
  const cached = bodyCache.get(event)
  if (cached !== undefined) return cached
  const body = JSON.stringify({
    id,
    object: 'event',
    type: event.type,
    created_at: event.createdAt.toISOString(),
    api_version: event.apiVersion,
    pending_deliveries: event.fanOut,
    data: event.data,
  })
  bodyCache.set(event, body)
  return body
}

function toAttemptRecord(
  { delivery, trigger, startedAt, worker }: AttemptInput,
  outcome: DeliveryOutcome,
  reply: OutboundReply,
) {
  const { timings } = reply
  const response = reply.kind === 'answered' ? reply : null
  const maxBody = outcome === 'ok' ? maxStoredSuccessBody : maxStoredFailureBody
  return {
    number: delivery.attempts + 1,
    trigger,
    startedAt,
    durationMs: Math.round(timings.durationMs),
    dnsMs: rounded(timings.dnsMs),
    connectMs: rounded(timings.connectMs),
    tlsMs: rounded(timings.tlsMs),
    firstByteMs: rounded(timings.firstByteMs),
    connectionReused: reply.connectionReused,
    outcome,
    status: response?.status ?? null,
    remoteIp: reply.remoteIp,
    detail: reply.kind === 'failed' ? reply.detail : null,
    responseHeaders: response === null ? null : truncateHeaders(response.headers),
    responseBody: response === null ? null : truncateText(response.body, maxBody),
    worker,
  }
}

const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms))

/** Truncates the text without splitting a surrogate pair. */
function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}

/** As many headers as fit into the size limit. */
function truncateHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const stored: Record<string, string> = {}
  let remaining = maxStoredHeaders
  for (const [name, value] of Object.entries(headers)) {
    remaining -= name.length + value.length
    if (remaining < 0) break
    stored[name] = value
  }
  return stored
}

type LaneInfo = Pick<AttemptInput, 'endpointUuid'> & {
  readonly workspaceUuid: string
  readonly settings: LaneSettings | null
}

/** The result of an attempt before its outcome is applied: the delivery is still pending. */
export function initialResult(lane: LaneInfo, delivery: DueDelivery): Result {
  const { objectUuid, sequence, ordered: delaysLater } = delivery
  const isOrdered = delaysLater || lane.settings?.ordered === true
  return {
    workspaceUuid: lane.workspaceUuid,
    deliveryUuid: delivery.uuid,
    version: delivery.version,
    state: 'pending',
    emitsEvent: false,
    tries: delivery.tries,
    attempts: delivery.attempts,
    waitSeconds: null,
    attempt: null,
    orderPosition: isOrdered ? { endpointUuid: lane.endpointUuid, objectUuid, sequence, delaysLater } : null,
  }
}
