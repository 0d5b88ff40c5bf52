/** Rows of payment links. `completions.ts` counts the completions, in another table. */
import { type Selectable, sql } from 'kysely'
import type {
  CheckoutMode,
  Collectable,
  CustomField,
  LineItem,
  OpenAmount,
  SaveMode,
  SubscriptionOptions,
} from '../../../../kernel/cart.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { idFromUuid, idOrNull, type Kind, uuidFromText, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { PaymentLinks } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Status } from '../machine.ts'
import type { AfterCompletion, LinkDetails, NewLink, PaymentLink } from '../payment-link.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'mode',
  'status',
  'currency',
  'amount',
  'open_amount',
  'line_items',
  'subscription',
  'max_completions',
  'customer_id',
  'payment_route_id',
  'capture_method',
  'collect',
  'custom_fields',
  'shows_saved_methods',
  'save_method',
  'allows_promotion_codes',
  'after_completion',
  'locale',
  'description',
  'metadata',
  'expires_at',
  'due_at',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type LinkRow = Pick<Selectable<PaymentLinks>, (typeof columns)[number]> & {
  readonly completed: number | null
}

const completed = sql<number | null>`(select places.completed from payment_link_places as places
  where places.workspace_id = payment_links.workspace_id and places.payment_link_id = payment_links.id)`

export const missing = 'There is no such payment link.'

export async function insertLink(tx: Tx, link: NewLink): Promise<PaymentLink> {
  const row = await tx.db
    .insertInto('payment_links')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('payment_link')),
      status: 'active',
      mode: link.mode,
      currency: link.currency,
      amount: link.amount,
      open_amount: jsonOrNull(link.openAmount),
      line_items: jsonOrNull(link.lineItems),
      subscription: jsonOrNull(link.subscription),
      capture_method: link.captureMethod,
      ...detailsToRow(link),
      due_at: link.expiresAt,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return scheduleExpiry(tx, fromRow(tx, { ...row, completed: 0 }))
}

export type LinkChanges = Partial<LinkDetails & Pick<PaymentLink, 'status' | 'dueAt'>>

/** Writes a change that emits an event: increments the version and the event sequence. */
export async function updateLink(tx: Tx, before: PaymentLink, changes: LinkChanges): Promise<PaymentLink> {
  const row = await tx.db
    .updateTable('payment_links')
    .set({
      ...detailsToRow({ ...before, ...changes }),
      status: changes.status,
      due_at: changes.dueAt,
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning([...columns, completed.as('completed')])
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return scheduleExpiry(tx, fromRow(tx, row))
}

/** Called after every write, so that no service function can forget to schedule the work. */
function scheduleExpiry(tx: Tx, link: PaymentLink): PaymentLink {
  tx.wake('payment_link.expire', link.id, link.dueAt)
  return link
}

export async function findLink(view: View, text: string): Promise<PaymentLink> {
  const row = await selectById(view, text).executeTakeFirst()
  return row ? fromRow(view, row) : refuse('not_found', { detail: missing })
}

/** Locks the link, so that changes to one link are serialized. */
export async function lockLink(tx: Tx, text: string): Promise<PaymentLink> {
  const row = await selectById(tx, text).forUpdate('payment_links').executeTakeFirst()
  return row ? fromRow(tx, row) : refuse('not_found', { detail: missing })
}

function selectById(view: View, text: string) {
  const uuid =
    uuidFromText('payment_link', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('payment_links')
    .select([...columns, completed.as('completed')])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export async function listLinks(view: View, range: IdRange, filter: { status?: string | undefined }) {
  const status = filter.status === undefined ? sql`` : sql`and status = ${filter.status}`
  const { rows } = await sql<LinkRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, ${completed} as completed from payment_links
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${status} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view, row)),
    range,
  )
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value))
function detailsToRow(details: LinkDetails) {
  return {
    max_completions: details.maxCompletions,
    expires_at: details.expiresAt,
    customer_id: uuidOrNull(details.customerId),
    payment_route_id: uuidOrNull(details.paymentRouteId),
    collect: JSON.stringify(details.collect),
    custom_fields: JSON.stringify(details.customFields),
    shows_saved_methods: details.savedMethods.show,
    save_method: details.savedMethods.save,
    allows_promotion_codes: details.allowPromotionCodes,
    after_completion: JSON.stringify(details.afterCompletion),
    locale: details.locale,
    description: details.description,
    metadata: JSON.stringify(details.metadata),
  }
}

function fromRow({ caller }: View, row: LinkRow): PaymentLink {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, caller.mode, uuid)
  return {
    id: idFromUuid('payment_link', caller.mode, row.id),
    workspaceId: caller.workspaceId,
    status: row.status as Status,
    mode: row.mode as CheckoutMode,
    currency: row.currency as Currency,
    amount: row.amount,
    openAmount: row.open_amount as OpenAmount | null,
    lineItems: row.line_items as LineItem[] | null,
    subscription: row.subscription as SubscriptionOptions | null,
    maxCompletions: row.max_completions,
    completedCount: row.completed ?? 0,
    customerId: id('customer', row.customer_id),
    paymentRouteId: id('payment_route', row.payment_route_id),
    captureMethod: row.capture_method as PaymentLink['captureMethod'],
    collect: row.collect as Collectable[],
    customFields: row.custom_fields as CustomField[],
    savedMethods: { show: row.shows_saved_methods, save: row.save_method as SaveMode },
    allowPromotionCodes: row.allows_promotion_codes,
    afterCompletion: row.after_completion as AfterCompletion,
    locale: row.locale,
    description: row.description,
    metadata: row.metadata as PaymentLink['metadata'],
    expiresAt: row.expires_at,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
