/**
 * Reports of mail services about bounces and complaints. The reference in the report identifies the e-mail and its workspace,
 * so a report changes nothing in other workspaces that have e-mailed the same address.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../../kernel/id.ts'
import { readSlug } from '../../../../kernel/object-slug.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { parseJson } from '../../../../platform/parse-json.ts'
import { setEmailStatus } from '../../customers/service.ts'
import { amazonUrl, isSignedBy, readSes, snsTypeOf } from '../events/amazon-ses.ts'
import { readReturnedMail } from '../events/delivery-status.ts'
import { type BounceType, type Json, type MailEvent, objectIn, textIn } from '../events/mail-event.ts'
import { readPostmark } from '../events/postmark.ts'
import { findReturnPath } from '../events/return-path.ts'
import { mailBounced, mailComplained } from '../events.ts'
import type { Mail } from '../mail.ts'
import * as store from '../store.ts'

type Report = { readonly mode: Mode; readonly authorization: string; readonly body: Json }

export async function receiveMailEvents(
  deps: Deps,
  adapter: string,
  call: {
    readonly mode: Mode
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  },
): Promise<void> {
  const text = Buffer.from(call.body).toString('utf8')
  if (adapter === 'return-path') return receiveReturnedMail(deps, text)
  const body = objectIn(parseJson(text))
  if (body === null) refuse('invalid_request', { detail: 'The body is not a JSON object.' })
  const report = { mode: call.mode, authorization: call.headers.authorization ?? '', body }
  for (const event of await readReport(deps, adapter, report)) await recordEvent(deps, event)
}

/** Only the signed token in the address proves that the e-mail was sent by this installation. */
async function receiveReturnedMail(deps: Deps, message: string): Promise<void> {
  const { returnPath } = deps.mailEvents
  if (returnPath === null) return refuse('mail_event_unauthorized')
  const { header, failure } = readReturnedMail(message)
  const ref = findReturnPath(header, returnPath, deps.linkKeys)
  // The mail server may have forwarded the e-mail, so the report may name another address.
  if (ref !== null && failure !== null)
    await recordReport(deps, ref, { type: 'bounced', recipient: null, detail: failure })
}

function readReport(deps: Deps, adapter: string, report: Report): Promise<readonly MailEvent[]> {
  if (adapter === 'postmark') return readPostmarkReport(deps, report)
  if (adapter === 'amazon-ses') return readSesReport(deps, report)
  return refuse('unknown_path')
}

async function readPostmarkReport({ mailEvents }: Deps, { authorization, body }: Report) {
  const { postmark } = mailEvents
  const expected = `Basic ${Buffer.from(postmark ?? '').toString('base64')}`
  if (postmark === null || !isEqual(authorization, expected)) refuse('mail_event_unauthorized')
  return readPostmark(body)
}

/** Compares hashes, so that the duration depends on neither string. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a as Buffer, b as Buffer)
}

async function readSesReport(deps: Deps, { mode, body }: Report): Promise<readonly MailEvent[]> {
  const { sesTopics } = deps.mailEvents
  const url = amazonUrl(body.SigningCertURL)
  if (url === null || !sesTopics.includes(textIn(body.TopicArn) ?? '')) refuse('mail_event_unauthorized')
  const certificate = await deps.certificates.fetch(url, mode)
  if (certificate === null || !isSignedBy(certificate, body)) refuse('mail_event_unauthorized')
  if (snsTypeOf(body) === 'SubscriptionConfirmation') {
    await confirmSubscription(deps, mode, body)
    return []
  }
  return readSes(objectIn(parseJson(textIn(body.Message) ?? '')) ?? {})
}

/** Amazon SNS sends nothing to an endpoint until the endpoint has opened the URL in the first message. */
async function confirmSubscription({ outbound }: Deps, mode: Mode, { SubscribeURL }: Json): Promise<void> {
  const url = amazonUrl(SubscribeURL)
  if (url === null) refuse('mail_event_unauthorized')
  const reply = await outbound.send({
    method: 'GET',
    url: url.href,
    mode,
    headers: {},
    body: null,
    timeoutMs: 5_000,
    maxResponseBytes: 64 * 1024,
    pool: `certificates ${url.host}`,
    maxConnections: 2,
  })
  // Amazon SNS repeats a message that was not accepted.
  if (reply.kind === 'failed' || reply.status !== 200) refuse('unavailable')
}

/** Ignores reports about e-mails that no longer exist, or that were not sent by this installation. */
async function recordEvent(deps: Deps, event: MailEvent): Promise<void> {
  const ref = referenceOf(deps, event.reference ?? '')
  if (ref !== null) await recordReport(deps, ref, event)
}

async function recordReport(deps: Deps, ref: Ref<'mail'>, bounce: Bounce): Promise<void> {
  const after = await transact(deps, systemCaller(ref), (tx) => recordBounce(tx, ref, bounce))
  if (after !== null) deps.mailMetrics.mailsEnded.inc({ kind: after.kind, status: after.status })
}

/** One mail server sends the e-mails of both environments, so the report does not depend on the address it was sent to. */
function referenceOf({ linkKeys }: Deps, reference: string): Ref<'mail'> | null {
  return readSlug(linkKeys, 'mail', 'live', reference) ?? readSlug(linkKeys, 'mail', 'test', reference)
}

export type Bounce = {
  readonly type: BounceType
  /** Null: the recipient of the e-mail. */
  readonly recipient: string | null
  readonly detail: string | null
}

/** Null if there is nothing to record: the first report counts, and mail services repeat reports. */
export async function recordBounce(tx: Tx, { id }: Ref<'mail'>, bounce: Bounce): Promise<Mail | null> {
  const before = await store.lockMailIfExists(tx, id)
  if (before === null || before.bouncedAt !== null) return null
  if (bounce.recipient !== null && !isSameAddress(before.recipient, bounce.recipient)) return null
  const after = await store.updateMail(tx, before, {
    status: bounce.type,
    reason: null,
    sending: false,
    dueAt: null,
    bouncedAt: tx.now,
    bounceDetail: bounce.detail?.slice(0, 500) ?? null,
    sequence: before.sequence + 1,
  })
  await store.insertBounce(tx, after)
  tx.emit(bounce.type === 'bounced' ? mailBounced : mailComplained, { after })
  if (after.customerId !== null)
    await setEmailStatus(tx, after.customerId, { email: after.recipient, status: bounce.type })
  return after
}

function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
