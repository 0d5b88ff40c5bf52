/**
 * E-mails to payers. `createMails` joins the unit of work of the change that the e-mail is about. The worker
 * commits that an attempt starts, calls the mail server without a transaction, and commits the result.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, machineTime } from '../../../kernel/clock.ts'
import { customerPagesOf } from '../../../kernel/customer-pages.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { type Id, type Ref, uuidFromText } from '../../../kernel/id.ts'
import { hiddenCode, loginCodeOf } from '../../../kernel/login-code.ts'
import { slugOf } from '../../../kernel/object-slug.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { transactAfterCall } from '../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import type { SendResult } from '../../../platform/mail.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import { findSeller } from '../../access/organizations/service.ts'
import { isColleagueEmail } from '../../access/people/service.ts'
import { setEmailStatus } from '../customers/service.ts'
import { logoCid } from './blocks.ts'
import { type ComposedMail, composeMail, type MailInput } from './compose-mail.ts'
import type { BounceType } from './events/mail-event.ts'
import { returnPathOf } from './events/return-path.ts'
import { exampleFacts } from './example-facts.ts'
import {
  type CustomTexts,
  datedKinds,
  leaseSeconds,
  type Mail,
  type MailKind,
  type MailSettings,
  type MailStatus,
  type MailText,
  maxUnknowns,
  mergeTexts,
  type NewMail,
  nextAttemptAt,
  simulatedBounceOf,
} from './mail.ts'
import { recordBounce } from './service/receive-bounce.ts'
import * as store from './store.ts'

export type { NewMail } from './mail.ts'

/** Creates e-mails in the current unit of work. They are sent after the commit, if their kind is switched on. */
export function createMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  return store.insertMails(tx, mails)
}

export { eraseMails } from './store.ts'

/** Worker: an e-mail is due. */
export async function sendMail(deps: Deps, ref: Ref<'mail'>): Promise<void> {
  const caller = systemCaller(ref)
  const { mail, settings, isSuperseded, bounce } = await read(deps, caller, async (view) => {
    const mail = await store.findMail(view, ref.id)
    return {
      mail,
      settings: await store.readSettings(view),
      isSuperseded: isExpired(deps, mail) || (await isOutdated(view, mail)),
      bounce: await store.findBounce(view, mail.recipient),
    }
  })
  if (mail.status !== 'pending') return
  if (bounce !== null && !isSuperseded) return skipBounced(deps, caller, mail, bounce)
  const simulated = caller.mode === 'test' ? simulatedBounceOf(mail.recipient) : null
  if (simulated !== null) return simulateBounce(deps, caller, mail, simulated)
  const reason = isSuperseded ? 'outdated' : await findReasonNotToSend(deps, caller, mail)
  if (reason !== null) return endWithoutSending(deps, caller, mail, reason)
  const started = await transact(deps, caller, (tx) => startAttempt(tx, ref.id))
  if (started === null) return
  if (started.status !== 'pending') return countEnded(deps, started)
  crashpoint('mail.started')
  const result = await deliver(deps, caller, started, settings)
  crashpoint('mail.answered')
  const after = await transactAfterCall(deps, caller, (tx) => recordResult(tx, started, result))
  if (after !== null && after.status !== 'pending') countEnded(deps, after)
}

/** The address of a customer may have been changed back to one that bounces, so the status is set again. */
async function skipBounced(deps: Deps, caller: Caller, mail: Mail, status: BounceType): Promise<void> {
  await endWithoutSending(deps, caller, mail, 'bounced')
  const { customerId } = mail
  if (customerId !== null)
    await transact(deps, caller, (tx) => setEmailStatus(tx, customerId, { email: mail.recipient, status }))
}

/** In test mode nothing can bounce, because only people of the organization get e-mails. */
async function simulateBounce(deps: Deps, caller: Caller, mail: Mail, type: BounceType): Promise<void> {
  const { workspaceId } = caller
  const after = await transact(deps, caller, (tx) =>
    recordBounce(tx, { workspaceId, id: mail.id }, { type, recipient: mail.recipient, detail: 'Simulated.' }),
  )
  if (after !== null) countEnded(deps, after)
}

function countEnded({ mailMetrics }: Deps, { kind, status }: Mail): void {
  mailMetrics.mailsEnded.inc({ kind, status })
}

/** A code is not sent after it has expired. */
function isExpired({ clock }: Deps, { kind, facts }: Mail): boolean {
  if (kind !== 'login_code' || facts.at === undefined) return false
  const reading = clock.read()
  return new Date(facts.at) <= (reading.from === 'database' ? machineTime() : reading.at)
}

/** A scheduled reminder is outdated if its subscription no longer renews at that time. */
async function isOutdated(view: Parameters<typeof store.renewsAt>[0], { kind, objectId, facts }: Mail) {
  if (kind !== 'renewal_upcoming' || facts.at === undefined) return false
  return !(await store.renewsAt(view, objectId as Id<'subscription'>, new Date(facts.at)))
}

/**
 * In test mode only people of the organization get e-mails. A test payment is free and its receipt contains
 * text from the merchant, so otherwise anyone could e-mail any text to strangers from the operator's address.
 */
async function findReasonNotToSend(deps: Deps, caller: Caller, { recipient }: Mail): Promise<string | null> {
  if (deps.mailer === null) return 'not_configured'
  const mayReceive = caller.mode === 'live' || (await isColleagueEmail(deps, caller, recipient))
  return mayReceive ? null : 'test_recipient'
}

async function endWithoutSending(deps: Deps, caller: Caller, mail: Mail, reason: string): Promise<void> {
  const ended = await transact(deps, caller, async (tx) => {
    const before = await store.lockMail(tx, mail.id)
    // An attempt that has started is recorded by its sender, or taken over after its lease has expired.
    if (before.status !== 'pending' || before.dueAt === null || before.dueAt > tx.now) return null
    return store.updateMail(tx, before, { status: 'not_sent', reason, sending: false, dueAt: null })
  })
  if (ended !== null) countEnded(deps, ended)
}

/**
 * Takes the lease of the e-mail for one attempt, or ends the e-mail if the outcome of too many attempts was
 * lost. Null if another worker has the lease.
 */
async function startAttempt(tx: Tx, id: Id<'mail'>): Promise<Mail | null> {
  const before = await store.lockMail(tx, id)
  if (before.status !== 'pending' || before.dueAt === null || before.dueAt > tx.now) return null
  // The process of the previous attempt stopped before it recorded the result.
  const unknowns = before.unknowns + (before.sending ? 1 : 0)
  if (unknowns >= maxUnknowns)
    return store.updateMail(tx, before, {
      status: 'failed',
      reason: 'outcome_unknown',
      sending: false,
      unknowns,
      dueAt: null,
    })
  return store.updateMail(tx, before, {
    attempts: before.attempts + 1,
    sending: true,
    unknowns,
    dueAt: addSeconds(tx.now, leaseSeconds),
  })
}

async function deliver(
  deps: Deps,
  caller: Caller,
  mail: Mail,
  { senderName, replyTo, texts }: MailSettings,
): Promise<SendResult> {
  if (deps.mailer === null) return { is: 'unavailable', detail: 'E-mail is not configured.' }
  const input = await inputOf(deps, caller, mail, texts)
  const code = codeOf(deps, caller, mail)
  const { subject, text, html } = composeMail({ ...input, code })
  // The message id is the same for each attempt, so that mail clients show the e-mail once.
  const ref = { workspaceId: caller.workspaceId, id: mail.id }
  const { returnPath } = deps.mailEvents
  return deps.mailer.send({
    id: mail.id,
    reference: slugOf(deps.linkKeys, ref),
    returnPath: returnPath === null ? null : returnPathOf(returnPath, deps.linkKeys, ref),
    to: mail.recipient,
    senderName: senderName ?? input.seller.name,
    replyTo,
    subject,
    text,
    html,
    image: imageOf(input.seller.logo_url),
  })
}

async function inputOf(
  deps: Deps,
  { workspaceId, mode }: Caller,
  { kind, facts, locale, customerId }: Pick<Mail, 'kind' | 'facts' | 'locale' | 'customerId'>,
  customTexts: CustomTexts,
): Promise<MailInput> {
  const { invoiceId, requestId } = facts
  const pages = deps.pagesOf(workspaceId)
  return {
    kind,
    facts,
    locale,
    seller: await findSeller(deps, workspaceId),
    url:
      requestId !== undefined
        ? customerPagesOf(deps, workspaceId).confirmationPage(requestId)
        : invoiceId === undefined
          ? null
          : pages.invoicePage(invoiceId),
    cardUrl: customerId === null ? null : pages.cardPage(customerId),
    code: kind === 'login_code' ? hiddenCode : null,
    isTest: mode === 'test',
    customTexts,
  }
}

/**
 * Only the recipient may see the code. In test mode no real money is at stake, and only people of the organization
 * get e-mails.
 */
function codeOf({ linkKeys }: Deps, { workspaceId }: Caller, { kind, objectId }: Mail): string | null {
  if (kind !== 'login_code') return null
  return loginCodeOf(linkKeys, { workspaceId, id: objectId as Id<'login_code'> })
}

/** Mail clients do not show images of data URLs, so the logo is attached. */
function imageOf(logoUrl: string | null) {
  const [, type = '', data = ''] = /^data:([^;]+);base64,(.+)$/.exec(logoUrl ?? '') ?? []
  return type === '' ? null : { cid: logoCid, type, content: Buffer.from(data, 'base64') }
}

/** Null if the lease has expired and another worker has taken over. */
async function recordResult(tx: Tx, started: Mail, result: SendResult): Promise<Mail | null> {
  const before = await store.lockMail(tx, started.id)
  if (before.version !== started.version) return null
  if (result.is === 'sent') {
    if (before.kind === 'receipt') await store.setReceiptSent(tx, before.objectId as Id<'checkout_session'>)
    const sent = { status: 'sent', reason: null, sending: false, dueAt: null, sentAt: tx.now } as const
    return store.updateMail(tx, before, sent)
  }
  const unknowns = before.unknowns + (result.is === 'unknown' ? 1 : 0)
  const mayRetry = result.is !== 'rejected' && unknowns < maxUnknowns
  const dueAt = mayRetry ? nextAttemptAt(before, before.sendAt, tx.now) : null
  return store.updateMail(tx, before, {
    status: dueAt === null ? 'failed' : 'pending',
    reason: reasonOf(result, unknowns),
    sending: false,
    unknowns,
    dueAt,
  })
}

function reasonOf(result: Exclude<SendResult, { is: 'sent' }>, unknowns: number): string {
  if (unknowns >= maxUnknowns) return 'outcome_unknown'
  return result.is === 'rejected' ? 'rejected' : 'unavailable'
}

export function listMails(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  {
    customer_id: customerId,
    status = null,
  }: { readonly customer_id?: string | undefined; readonly status?: MailStatus | null },
) {
  const customerUuid =
    customerId === undefined
      ? null
      : (uuidFromText('customer', caller.mode, customerId) ??
        refuseMember('/customer_id', 'bad_format', 'is not a customer id'))
  return read(deps, caller, (view) => store.listMails(view, range, { customerUuid, status }))
}

export type MailWithContent = Mail & { readonly content: ComposedMail }

/** An e-mail with its values, in the current wording and branding of the workspace. */
export async function getMail(deps: Deps, caller: Caller, id: string): Promise<MailWithContent> {
  const { mail, texts } = await read(deps, caller, async (view) => {
    const mail = await store.findMail(view, id)
    return { mail, texts: (await store.readSettings(view)).texts }
  })
  const input = await inputOf(deps, caller, mail, texts)
  const code = caller.mode === 'test' ? codeOf(deps, caller, mail) : input.code
  return { ...mail, content: composeMail({ ...input, code }) }
}

export function getMailSettings(deps: Deps, caller: Caller): Promise<MailSettings> {
  return read(deps, caller, store.readSettings)
}

export type MailSettingsInput = {
  readonly sender_name?: string | null
  readonly reply_to?: string | null
  readonly kinds?: { readonly [K in MailKind]?: boolean }
  readonly texts?: readonly MailText[]
}

export function updateMailSettings(
  deps: Deps,
  caller: Caller,
  input: MailSettingsInput,
): Promise<MailSettings> {
  return transact(deps, caller, async (tx) => {
    const before = await store.readSettings(tx)
    const after = {
      senderName: input.sender_name === undefined ? before.senderName : input.sender_name,
      replyTo: input.reply_to === undefined ? before.replyTo : input.reply_to,
      kinds: { ...before.kinds, ...input.kinds },
      texts: mergeTexts(before.texts, requireValid(input.texts)),
    }
    await store.writeSettings(tx, after)
    await recordAuditEntry(tx, 'mail_settings.updated', {
      objectId: caller.workspaceId,
      details: { reply_to: after.replyTo, sender_name: after.senderName },
    })
    return after
  })
}

export type MailPreviewInput = {
  readonly kind: MailKind
  readonly locale?: string | null
  readonly texts?: readonly MailText[]
}

/** Only some kinds have a date. In the others, the placeholder would be replaced by an empty string. */
function requireValid(texts: readonly MailText[] = []): readonly MailText[] {
  for (const [at, { kind, subject, body }] of texts.entries())
    for (const [name, text] of Object.entries({ subject, body }))
      if (text?.includes('{date}') && !datedKinds.includes(kind))
        refuseMember(`/texts/${at}/${name}`, 'bad_format', `must not contain {date}: ${kind} has no date`)
  return texts
}

/** Renders an e-mail with example values. Nothing is stored or sent. */
export async function previewMail(
  deps: Deps,
  caller: Caller,
  { kind, locale, texts }: MailPreviewInput,
): Promise<ComposedMail> {
  const facts = exampleFacts(kind)
  const saved = await getMailSettings(deps, caller)
  const customTexts = mergeTexts(saved.texts, requireValid(texts))
  const mail = { kind, facts, locale: locale ?? null, customerId: null }
  const input = await inputOf(deps, caller, mail, customTexts)
  const address = deps.addresses[caller.mode]
  return composeMail({ ...input, url: `${address}/i/example`, cardUrl: `${address}/u/example` })
}
