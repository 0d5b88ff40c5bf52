/** The row with the tax provider of a workspace. */
import { type Selectable, sql } from 'kysely'
import { uuidOf } from '../../../kernel/id.ts'
import type { TaxProviders } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { TaxProviderName } from '../../../tax-providers/tax-provider-names.ts'
import type { ConfiguredTaxProvider, TaxBacklog } from './tax-provider.ts'

/** The plaintext is JSON with the secrets by name. */
export type StoredTaxProvider = {
  readonly configured: ConfiguredTaxProvider
  readonly sealed: Buffer
  readonly version: number
}

const columns = ['provider', 'emulated', 'config', 'secrets', 'sealed', 'version'] as const
type TaxProviderRow = Pick<Selectable<TaxProviders>, (typeof columns)[number]>

const select = (view: View) =>
  view.db
    .selectFrom('tax_providers')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))

export async function findTaxProvider(view: View): Promise<StoredTaxProvider | null> {
  const row = await select(view).executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/** Waits for units of work that use the account, such as those that finalize invoices. */
export async function lockTaxProvider(tx: Tx): Promise<StoredTaxProvider | null> {
  const row = await select(tx).forUpdate().executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/** The account cannot be replaced or deleted until the unit of work has ended. Others can use it as well. */
export async function holdTaxProvider(tx: Tx): Promise<StoredTaxProvider | null> {
  const row = await select(tx).forShare().executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

function fromRow({
  provider,
  emulated,
  config,
  secrets,
  sealed,
  version,
}: TaxProviderRow): StoredTaxProvider {
  return {
    configured: {
      provider: provider as TaxProviderName,
      emulated,
      config: config as ConfiguredTaxProvider['config'],
      secrets,
    },
    sealed,
    version,
  }
}

/** Replaces the account. Concurrent requests are serialized by the row. */
export async function writeTaxProvider(
  tx: Tx,
  { provider, emulated, config, secrets }: ConfiguredTaxProvider,
  sealed: Buffer,
): Promise<void> {
  const values = {
    provider,
    emulated,
    config: JSON.stringify(config),
    secrets: [...secrets],
    sealed,
    updated_at: tx.now,
  }
  await tx.db
    .insertInto('tax_providers')
    .values({ workspace_id: uuidOf(tx.caller.workspaceId), ...values })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ ...values, version: sql`tax_providers.version + 1` }),
    )
    .execute()
}

export async function deleteTaxProvider(tx: Tx): Promise<void> {
  await tx.db.deleteFrom('tax_providers').where('workspace_id', '=', uuidOf(tx.caller.workspaceId)).execute()
}

/** The oldest entry of each of the two partial indexes. */
export async function findBacklog(view: View): Promise<TaxBacklog> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<TaxBacklog>`
    select (select updated_at from invoice_taxes where workspace_id = ${workspace} and status in ('pending', 'failed')
        order by updated_at limit 1) as "waitingSince",
      (select created_at from tax_documents where workspace_id = ${workspace} and due_at is not null
        order by created_at limit 1) as "unrecordedSince"`.execute(view.db)
  return rows[0] ?? { waitingSince: null, unrecordedSince: null }
}

/** Whether the provider still has to record a document. */
export async function hasUnrecorded(view: View, provider: TaxProviderName): Promise<boolean> {
  const { rows } = await sql`
    select from tax_documents
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and due_at is not null and provider = ${provider}
    limit 1`.execute(view.db)
  return rows.length > 0
}
