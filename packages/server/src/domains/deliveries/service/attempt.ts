/** One request to a receiver: made, signed, sent, and understood. */
import { assert } from '../../../kernel/assert.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Outbound, OutboundReply } from '../../../platform/outbound/outbound.ts'
import type { AttemptTrigger, Outcome } from '../delivery.ts'
import { outcomeOf } from '../outcome.ts'
import { seconds, signatureDigest, webhookSignature } from '../signatures.ts'
import type { DueDelivery, EventText, LaneSettings } from '../store/lanes.ts'
import type { Result } from '../store/results.ts'
import type { Secret } from './secrets.ts'

/** More of an answer is not read. */
const readBytes = 16_384
const keptOfFailure = 8_192
const keptOfSuccess = 512
const keptOfHeaders = 2_048

export type Errand = {
  readonly mode: Mode
  readonly endpointUuid: string
  readonly settings: LaneSettings
  readonly secrets: readonly Secret[]
  readonly delivery: DueDelivery
  readonly trigger: AttemptTrigger
  /** When it leaves, by the machine: receivers compare it with their own clock. */
  readonly startedAt: Date
  /** Business time, for what has ended by now. */
  readonly now: Date
  readonly worker: string
}

export type Attempted = {
  /** Null: the fault was ours, and nothing was attempted. */
  readonly outcome: Outcome | null
  readonly status: number | null
  readonly retryAfter: string | undefined
  readonly attempt: Result['attempt']
}

/** With what was known of the lane when it left. */
export type Concluded = Attempted & {
  readonly wasProbe: boolean
  readonly epoch: number
  readonly nowMs: number
}

export async function attempt(outbound: Outbound, errand: Errand): Promise<Attempted> {
  const { mode, settings, delivery, endpointUuid, startedAt } = errand
  const live = errand.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > errand.now)
  const texts = live.map(({ text }) => text)
  assert(texts.length > 0, 'What cannot be signed is not sent: see refills.')
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
    maxAnswerBytes: readBytes,
    pool: endpointUuid,
    maxConnections: settings.maxInFlight,
  })
  const outcome = outcomeOf(reply)
  return {
    outcome,
    status: reply.is === 'answered' ? reply.status : null,
    retryAfter: reply.is === 'answered' ? reply.headers['retry-after'] : undefined,
    attempt:
      outcome === null
        ? null
        : {
            ...recordOf(errand, outcome, reply),
            signatureDigest: digest,
            webhookSignature: signature,
            webhookTimestamp: timestamp,
            secretUuids: live.map(({ uuid }) => uuid),
          },
  }
}

const bodies = new WeakMap<EventText, string>()

/** The same bytes for every endpoint and attempt: the envelope, with `data` as the text that was signed. */
function bodyOf(event: EventText, id: string): string {
  const known = bodies.get(event)
  if (known !== undefined) return known
  const body = JSON.stringify({
    id,
    object: 'event',
    type: event.type,
    created_at: event.createdAt.toISOString(),
    api_version: event.apiVersion,
    pending_deliveries: event.fanOut,
    data: event.data,
  })
  bodies.set(event, body)
  return body
}

function recordOf({ delivery, trigger, startedAt, worker }: Errand, outcome: Outcome, reply: OutboundReply) {
  const { timings } = reply
  const answered = reply.is === 'answered' ? reply : null
  const kept = outcome === 'ok' ? keptOfSuccess : keptOfFailure
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
    status: answered?.status ?? null,
    remoteIp: reply.remoteIp,
    detail: reply.is === 'failed' ? reply.detail : null,
    responseHeaders: answered === null ? null : cutHeaders(answered.headers),
    responseBody: answered === null ? null : cutText(answered.body, kept),
    worker,
  }
}

const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms))

/** Not in the middle of a character that takes two. */
function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}

/** The first ones, as many as fit. */
function cutHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {}
  let left = keptOfHeaders
  for (const [name, value] of Object.entries(headers)) {
    left -= name.length + value.length
    if (left < 0) break
    kept[name] = value
  }
  return kept
}

type Served = Pick<Errand, 'endpointUuid'> & {
  readonly workspaceUuid: string
  readonly settings: LaneSettings | null
}

/** A result that changes nothing yet. */
export function resultBase(lane: Served, delivery: DueDelivery): Result {
  const { objectUuid, sequence, ordered: holdsUp } = delivery
  const isOrdered = holdsUp || lane.settings?.ordered === true
  return {
    workspaceUuid: lane.workspaceUuid,
    deliveryUuid: delivery.uuid,
    version: delivery.version,
    state: 'pending',
    told: false,
    tries: delivery.tries,
    attempts: delivery.attempts,
    waitSeconds: null,
    attempt: null,
    ahead: isOrdered ? { endpointUuid: lane.endpointUuid, objectUuid, sequence, holdsUp } : null,
  }
}
