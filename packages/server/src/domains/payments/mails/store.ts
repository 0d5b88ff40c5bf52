/** Rows of e-mails and of the e-mail settings of a workspace. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { Mails } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import {
  type CustomTexts,
  defaultKinds,
  type Mail,
  type MailFacts,
  type MailKind,
  type MailSettings,
  type MailStatus,
  mailKinds,
  type NewMail,
} from './mail.ts'

const columns = [
  'id',
  'kind',
  'object_id',
  'step',
  'customer_id',
  'recipient',
  'locale',
  'facts',
  'status',
  'reason',
  'send_at',
  'attempts',
  'sending',
  'unknowns',
  'due_at',
  'sent_at',
  'bounced_at',
  'bounce_detail',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type MailRow = Pick<Selectable<Mails>, (typeof columns)[number]>

/**
 * One statement, whatever the number of e-mails: skips kinds that are switched off, payers without an address, and
 * e-mails that exist already. E-mails of customers on a test clock are stored and never sent.
 */
export async function insertMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  const workspace = uuidOf(tx.caller.workspaceId)
  const isSimulated = tx.testClockId !== null
  const { rows } = await sql<{ id: string; due_at: Date | null }>`
    insert into mails (workspace_id, id, kind, object_id, step, customer_id, recipient, locale, facts,
      status, reason, send_at, due_at, created_at, updated_at)
    select ${workspace}::uuid, new.id, new.kind, new.object_id, coalesce(card.expires, new.step), new.customer_id,
      coalesce(new.recipient, customers.email), coalesce(new.locale, customers.locale),
      coalesce(card.facts, new.facts),
      ${isSimulated ? 'not_sent' : 'pending'}, ${isSimulated ? 'test_clock' : null}, new.send_at,
      ${isSimulated ? sql`null::timestamptz` : sql`new.send_at`}, ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from json_to_recordset(${JSON.stringify(mails.map((mail) => toRow(tx, mail)))}::json) as new (
        id uuid, kind text, is_on_by_default boolean, object_id uuid, step int, customer_id uuid,
        recipient text, locale text, facts json, send_at timestamptz,
        if_card_expires_before timestamptz)
      left join customers on customers.workspace_id = ${workspace} and customers.id = new.customer_id
        and customers.deleted_at is null
      left join mail_settings on mail_settings.workspace_id = ${workspace}
      left join lateral (${expiryOfCard(workspace)}) as card on new.if_card_expires_before is not null
    where (new.if_card_expires_before is null
        or to_date(card.expires::text, 'YYYYMM') + interval '1 month' <= new.if_card_expires_before)
      and coalesce((mail_settings.kinds ->> new.kind)::boolean, new.is_on_by_default)
      and coalesce(new.recipient, customers.email) is not null
    on conflict (workspace_id, kind, object_id, step) do nothing
    returning id, due_at`.execute(tx.db)
  for (const { id, due_at } of rows) tx.wake('mail.send', idFromUuid('mail', tx.caller.mode, id), due_at)
}

/**
 * The expiry date of a saved card as a number such as 202612, and what the e-mail shows about the card. Null if the date is
 * unknown, or it is a bank account.
 */
const expiryOfCard = (workspace: string) => sql`
  select nullif((card ->> 'exp_year')::int * 100 + (card ->> 'exp_month')::int, 0) as expires,
    json_build_object('expiringCard', json_build_object('brand', card ->> 'brand', 'last4', card ->> 'last4')) as facts
  from payment_methods
  where payment_methods.workspace_id = ${workspace} and payment_methods.id = new.object_id`

function toRow(tx: Tx, mail: NewMail) {
  const { kind, objectId, step, customerId, recipient, locale, facts, sendAt, ifCardExpiresBefore } = mail
  return {
    id: uuidOf(tx.newId('mail')),
    kind,
    is_on_by_default: mailKinds[kind].isOnByDefault,
    object_id: uuidOf(objectId),
    step,
    customer_id: uuidOrNull(customerId),
    recipient,
    locale,
    facts,
    send_at: sendAt ?? tx.now,
    if_card_expires_before: ifCardExpiresBefore ?? null,
  }
}

type MailChanges = Partial<
  Pick<
    Mail,
    | 'status'
    | 'reason'
    | 'attempts'
    | 'sending'
    | 'unknowns'
    | 'dueAt'
    | 'sentAt'
    | 'bouncedAt'
    | 'bounceDetail'
    | 'sequence'
  >
>

export async function updateMail(tx: Tx, before: Mail, changes: MailChanges): Promise<Mail> {
  const row = await tx.db
    .updateTable('mails')
    .set({
      status: changes.status,
      reason: changes.reason,
      attempts: changes.attempts,
      sending: changes.sending,
      unknowns: changes.unknowns,
      due_at: changes.dueAt,
      sent_at: changes.sentAt,
      bounced_at: changes.bouncedAt,
      bounce_detail: changes.bounceDetail,
      sequence: changes.sequence,
      version: before.version + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  const after = fromRow(tx.caller.mode, row)
  tx.wake('mail.send', after.id, after.dueAt)
  return after
}

/** A checkout session shows when its receipt was sent. The change emits no event. */
export async function setReceiptSent(tx: Tx, id: Id<'checkout_session'>): Promise<void> {
  await sql`update checkout_sessions
    set receipt_sent_at = ${tx.now}, version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}`.execute(tx.db)
}

/** Whether the subscription still renews at this time. */
export async function renewsAt(view: View, id: Id<'subscription'>, at: Date): Promise<boolean> {
  const { rows } = await sql`select from subscriptions
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuidOf(id)} and status = 'active'
      and period_end_at = ${at}
      and coalesce(scheduled_change ->> 'action', 'update') = 'update'`.execute(view.db)
  return rows.length > 0
}

/** Removes the personal data from the e-mails of a deleted customer. Those that are pending are not sent. */
export async function eraseMails(tx: Tx, id: Id<'customer'>): Promise<void> {
  await sql`update mails set recipient = 'erased', facts = '{}', bounce_detail = null, sending = false, due_at = null,
      reason = case when status = 'pending' then 'customer_deleted' else reason end,
      status = case when status = 'pending' then 'not_sent' else status end,
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and customer_id = ${uuidOf(id)}`.execute(tx.db)
  await sql`delete from mail_bounces
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and customer_id = ${uuidOf(id)}`.execute(tx.db)
}

const missing = 'There is no such e-mail.'

export async function findMail(view: View, text: string): Promise<Mail> {
  const row = await selectMail(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockMail(tx: Tx, id: Id<'mail'>): Promise<Mail> {
  const row = await selectMail(tx, id).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Null if it was deleted. */
export async function lockMailIfExists(tx: Tx, id: Id<'mail'>): Promise<Mail | null> {
  const row = await selectMail(tx, id).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : null
}

/** Why the workspace sends no e-mails to this address. Null: it sends them. */
export async function findBounce(view: View, recipient: string): Promise<'bounced' | 'complained' | null> {
  const { rows } = await sql<{ status: 'bounced' | 'complained' }>`select status from mail_bounces
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and address_key = ${recipient.toLowerCase()}`.execute(
    view.db,
  )
  return rows[0]?.status ?? null
}

export async function insertBounce(tx: Tx, { recipient, status, customerId }: Mail): Promise<void> {
  await sql`insert into mail_bounces (workspace_id, address_key, status, customer_id, bounced_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${recipient.toLowerCase()}, ${status}, ${uuidOrNull(customerId)}, ${tx.now})
    on conflict (workspace_id, address_key) do nothing`.execute(tx.db)
}

function selectMail(view: View, text: string) {
  const uuid = uuidFromText('mail', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('mails')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export type MailFilter = { readonly customerUuid: string | null; readonly status: MailStatus | null }

export function listMails(view: View, range: IdRange, { customerUuid, status }: MailFilter) {
  const ofCustomer = customerUuid === null ? sql`` : sql`and customer_id = ${customerUuid}`
  const only = status === null ? ofCustomer : sql`${ofCustomer} and status = ${status}`
  return listRows(view, range, { table: 'mails', columns, only, fromRow })
}

export async function readSettings(view: View): Promise<MailSettings> {
  const row = await view.db
    .selectFrom('mail_settings')
    .select(['sender_name', 'reply_to', 'kinds', 'texts'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirst()
  return {
    senderName: row?.sender_name ?? null,
    replyTo: row?.reply_to ?? null,
    kinds: defaultKinds((row?.kinds ?? {}) as { readonly [kind: string]: boolean }),
    texts: (row?.texts ?? {}) as CustomTexts,
  }
}

export async function writeSettings(
  tx: Tx,
  { senderName, replyTo, kinds, texts }: MailSettings,
): Promise<void> {
  const values = {
    sender_name: senderName,
    reply_to: replyTo,
    kinds: JSON.stringify(kinds),
    texts: JSON.stringify(texts),
    updated_at: tx.now,
  }
  await tx.db
    .insertInto('mail_settings')
    .values({ workspace_id: uuidOf(tx.caller.workspaceId), ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}

function fromRow(mode: Mode, row: MailRow): Mail {
  const kind = row.kind as MailKind
  return {
    id: idFromUuid('mail', mode, row.id),
    kind,
    objectId: idFromUuid(mailKinds[kind].objectKind, mode, row.object_id),
    step: row.step,
    customerId: idOrNull('customer', mode, row.customer_id),
    recipient: row.recipient,
    locale: row.locale,
    facts: row.facts as MailFacts,
    status: row.status as MailStatus,
    reason: row.reason,
    sendAt: row.send_at,
    attempts: row.attempts,
    sending: row.sending,
    unknowns: row.unknowns,
    dueAt: row.due_at,
    sentAt: row.sent_at,
    bouncedAt: row.bounced_at,
    bounceDetail: row.bounce_detail,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
