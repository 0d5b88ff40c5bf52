/** The row with the seller of a workspace. */
import { sql } from 'kysely'
import { uuidOf } from '../../../kernel/id.ts'
import { emptySeller, type numberResets, type SellerParty, type TaxMode } from '../../../kernel/parties.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'

export type SellerSettings = {
  readonly seller: SellerParty
  /** Whether live invoices need all legal fields. */
  readonly required: boolean
  readonly numbering: Numbering
  readonly tax: TaxMode
}

/** How invoices are numbered. Without a prefix, numbers begin with `INV`, or `TEST` in the test environment. */
export type Numbering = { readonly prefix: string | null; readonly reset: (typeof numberResets)[number] }

const defaultNumbering: Numbering = { prefix: null, reset: 'never' }

const columns = [
  'legal_name',
  'address',
  'registration',
  'tax_ids',
  'vat_scheme',
  'bank',
  'contact',
  'footer',
  'time_zone',
  'electronic_address',
  'required',
  'number_prefix',
  'number_reset',
  'tax',
] as const

const select = (view: View) =>
  view.db.selectFrom('sellers').select(columns).where('workspace_id', '=', uuidOf(view.caller.workspaceId))

export async function readSeller(view: View): Promise<SellerSettings> {
  const row = await select(view).executeTakeFirst()
  return row === undefined
    ? { seller: emptySeller, required: true, numbering: defaultNumbering, tax: 'none' }
    : fromRow(row)
}

/** Locks the row, which is created if it does not exist. */
export async function lockSeller(tx: Tx): Promise<SellerSettings> {
  await tx.db
    .insertInto('sellers')
    .values({ workspace_id: uuidOf(tx.caller.workspaceId), updated_at: tx.now })
    .onConflict((conflict) => conflict.column('workspace_id').doNothing())
    .execute()
  return fromRow(await select(tx).forUpdate().executeTakeFirstOrThrow())
}

export async function updateSeller(
  tx: Tx,
  { seller, required, numbering, tax }: SellerSettings,
): Promise<void> {
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  await tx.db
    .updateTable('sellers')
    .set({
      legal_name: seller.legal_name,
      address: json(seller.address),
      registration: json(seller.registration),
      tax_ids: JSON.stringify(seller.tax_ids),
      vat_scheme: seller.vat_scheme,
      bank: json(seller.bank),
      contact: json(seller.contact),
      footer: JSON.stringify(seller.footer),
      time_zone: seller.time_zone,
      electronic_address: json(seller.electronic_address ?? null),
      required,
      number_prefix: numbering.prefix,
      number_reset: numbering.reset,
      tax,
      ...(tax === 'none' ? {} : { tax_used_at: sql<Date>`coalesce(tax_used_at, ${tx.now})` }),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .execute()
}

/**
 * Whether the workspace has an account at a tax provider. The account cannot be deleted until the unit of
 * work has ended.
 */
export async function holdTaxProvider(tx: Tx): Promise<boolean> {
  const row = await tx.db
    .selectFrom('tax_providers')
    .select('provider')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

type SellerRow = { readonly [C in (typeof columns)[number]]: unknown }

function fromRow({ required, number_prefix, number_reset, tax, ...seller }: SellerRow): SellerSettings {
  const numbering = { prefix: number_prefix, reset: number_reset } as Numbering
  return { seller: seller as SellerParty, required: required === true, numbering, tax: tax as TaxMode }
}
