import { type Selectable, sql } from 'kysely'
import { type Id, idFromUuid, type Mode, modeOf, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { Workspaces } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import { type Branding, noBranding } from './branding.ts'
import { type CardDataMode, type ConfiguredVault, defaultCardDataMode } from './card-data.ts'
import type { Workspace } from './workspace.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'workspace_id',
  'organization_id',
  'name',
  'mode',
  'api_version',
  'branding',
  'card_data_mode',
  'card_vault',
  'element_origins',
  'created_at',
  'updated_at',
  'version',
] as const
/** Whether an ADMIN has confirmed the PCI DSS statement. The default of `card_data_mode` depends on it. */
const isVaultConfirmed = sql<boolean>`exists (
  select from vault_confirmations where vault_confirmations.workspace_id = workspaces.workspace_id)`.as(
  'is_vault_confirmed',
)
type WorkspaceRow = Pick<Selectable<Workspaces>, (typeof columns)[number]> & {
  readonly is_vault_confirmed: boolean
}

/** Registers an organization, which is not visible until it is ready. Repeating it changes nothing. */
export async function insertOrganization(
  db: Db,
  id: Id<'organization'>,
  { name, now }: { readonly name: string; readonly now: Date },
): Promise<void> {
  await db
    .insertInto('control.organizations')
    .values({ id: uuidOf(id), name, state: 'creating', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns false if the organization was removed, because its creation took too long. */
export async function markOrganizationReady(db: Db, id: Id<'organization'>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.organizations')
    .set({ state: 'ready' })
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * The organization of this installation, if setup has run. Reads the control plane, which has no workspace.
 */
export async function findFirstOrganization(db: Db): Promise<Id<'organization'> | null> {
  const row = await db
    .selectFrom('control.organizations')
    .select('id')
    .where('state', '=', 'ready')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : idFromUuid('organization', 'live', row.id)
}

export async function insertWorkspace(
  tx: Tx,
  workspace: { organizationId: Id<'organization'>; name: string; apiVersion: string },
): Promise<Workspace> {
  const row = await tx.db
    .insertInto('workspaces')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      organization_id: uuidOf(workspace.organizationId),
      name: workspace.name,
      mode: tx.caller.mode,
      api_version: workspace.apiVersion,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .returning(isVaultConfirmed)
    .executeTakeFirstOrThrow()
  return fromRow(row)
}

/** Registers a workspace of the organization, which is not listed until it is ready. Repeating it changes nothing. */
export async function addToDirectory(
  db: Db,
  id: Id<'workspace'>,
  { organizationId, now }: { readonly organizationId: Id<'organization'>; readonly now: Date },
): Promise<void> {
  await db
    .insertInto('control.workspaces')
    .values({
      id: uuidOf(id),
      organization_id: uuidOf(organizationId),
      mode: modeOf(id),
      state: 'creating',
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns false if the workspace was removed, because its creation took too long. */
export async function markWorkspaceReady(db: Db, id: Id<'workspace'>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.workspaces')
    .set({ state: 'ready' })
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The workspaces of an organization: live workspaces first, then by age. */
export async function listDirectory(db: Db, organizationId: Id<'organization'>, limit: number) {
  const rows = await db
    .selectFrom('control.workspaces')
    .select(['id', 'mode'])
    .where('organization_id', '=', uuidOf(organizationId))
    .where('state', '=', 'ready')
    .orderBy('mode')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => idFromUuid('workspace', row.mode as Mode, row.id))
}

export async function readOrganizationName(db: Db, id: Id<'organization'>): Promise<string> {
  const row = await db
    .selectFrom('control.organizations')
    .select('name')
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row?.name ?? ''
}

/** A page of the ids of all workspaces, for operator commands. The database role can only read ids. */
export async function listWorkspaceIds(db: Db, after: Id<'workspace'> | null, limit: number) {
  const rows = await db
    .selectFrom('workspaces')
    .select(['workspace_id', 'mode'])
    .$if(after !== null, (query) => query.where('workspace_id', '>', uuidOf(after as Id<'workspace'>)))
    .orderBy('workspace_id')
    .limit(limit)
    .execute()
  return rows.map((row) => idFromUuid('workspace', row.mode as Mode, row.workspace_id))
}

export async function readWorkspace(view: View): Promise<Workspace> {
  return fromRow(await selectWorkspace(view).executeTakeFirstOrThrow())
}

export async function lockWorkspace(tx: Tx): Promise<Workspace> {
  return fromRow(await selectWorkspace(tx).forUpdate().executeTakeFirstOrThrow())
}

export async function updateWorkspace(
  tx: Tx,
  before: Workspace,
  changes: { name: string; apiVersion: string; branding: Branding },
): Promise<Workspace> {
  const row = await tx.db
    .updateTable('workspaces')
    .set({
      name: changes.name,
      api_version: changes.apiVersion,
      branding: JSON.stringify(changes.branding),
      version: before.version + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .returning(isVaultConfirmed)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(row)
}

/** Replaces the vault only if it is passed. */
export async function updateCardData(
  tx: Tx,
  before: Workspace,
  change: {
    readonly mode: CardDataMode
    readonly vault?: ConfiguredVault | null
    readonly sealed?: Buffer | null
  },
): Promise<Workspace> {
  const { mode, vault, sealed } = change
  const row = await tx.db
    .updateTable('workspaces')
    .set({
      card_data_mode: mode,
      ...(sealed === undefined
        ? {}
        : { card_vault: vault === null ? null : JSON.stringify(vault), card_vault_secrets: sealed }),
      version: before.version + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .returning(isVaultConfirmed)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(row)
}

export async function updateElementOrigins(
  tx: Tx,
  before: Workspace,
  origins: readonly string[],
): Promise<Workspace> {
  const row = await tx.db
    .updateTable('workspaces')
    .set({ element_origins: [...origins], version: before.version + 1, updated_at: tx.now })
    .where('workspace_id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .returning(isVaultConfirmed)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(row)
}

/** The vault of another service, with its encrypted secrets; null if there is none. */
export async function findVault(
  view: View,
): Promise<{ readonly vault: ConfiguredVault; readonly sealed: Buffer } | null> {
  const row = await view.db
    .selectFrom('workspaces')
    .select(['card_vault', 'card_vault_secrets'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirst()
  const { card_vault: vault = null, card_vault_secrets: sealed = null } = row ?? {}
  return vault === null || sealed === null ? null : { vault: vault as ConfiguredVault, sealed }
}

const selectWorkspace = (view: View) =>
  view.db
    .selectFrom('workspaces')
    .select(columns)
    .select(isVaultConfirmed)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))

function fromRow(row: WorkspaceRow): Workspace {
  const mode = row.mode as Mode
  return {
    id: idFromUuid('workspace', mode, row.workspace_id),
    organizationId: idFromUuid('organization', mode, row.organization_id),
    name: row.name,
    mode,
    apiVersion: row.api_version,
    branding: { ...noBranding, ...(row.branding as Partial<Branding> | null) },
    cardData: {
      mode: (row.card_data_mode as CardDataMode | null) ?? defaultCardDataMode(mode, row.is_vault_confirmed),
      vault: row.card_vault as ConfiguredVault | null,
    },
    hasChosenCardData: row.card_data_mode !== null,
    elementOrigins: row.element_origins,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
