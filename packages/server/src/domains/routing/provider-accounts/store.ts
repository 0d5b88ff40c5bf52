import { type Selectable, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import { instantOf } from '../../../platform/db/due.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import { lockName } from '../../../platform/db/name-lock.ts'
import type { ProviderAccounts } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Capabilities, CostSegment } from '../../../providers/contract.ts'
import type { ProviderName } from '../../../providers/provider-names.ts'
import type { Narrowing } from './capabilities.ts'
import { providerAccountMachine, type Status } from './machine.ts'
import {
  type AccountSettings,
  type CardData,
  type CheckFault,
  maxAccounts,
  type ProviderAccount,
} from './provider-account.ts'
import type { Settings } from './settings.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'provider',
  'status',
  'display_name',
  'position',
  'config',
  'narrowing',
  'card_data',
  'capabilities',
  'costs',
  'hold_reason',
  'hold_until_at',
  'checked_at',
  'check_faults',
  'secret_rotated_at',
  'call_credentials_changed_at',
  'credential_names',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type AccountRow = Pick<Selectable<ProviderAccounts>, (typeof columns)[number]> & {
  /** Encrypted credentials are only read by the code that decrypts them. */
  readonly has_credentials: boolean
}

const hasCredentials = sql<boolean>`credentials is not null`.as('has_credentials')

/**
 * Whether the workspace can have another account, and the last position. Other creations wait until the
 * transaction ends.
 */
export async function lockAccountLimit(
  tx: Tx,
): Promise<{ readonly isAtLimit: boolean; readonly lastPosition: number }> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await lockName(tx, `provider_accounts of ${workspace}`)
  const positions = await tx.db
    .selectFrom('provider_accounts')
    .select('position')
    .where('workspace_id', '=', workspace)
    .where('status', '<>', 'archived')
    .limit(maxAccounts)
    .execute()
  return {
    isAtLimit: positions.length >= maxAccounts,
    lastPosition: positions.reduce((last, { position }) => Math.max(last, position), 0),
  }
}

export type NewAccount = AccountSettings &
  Pick<ProviderAccount, 'id' | 'provider' | 'cardData' | 'capabilities' | 'credentialNames'> & {
    readonly credentials: Buffer
  }

export async function insertAccount(tx: Tx, account: NewAccount): Promise<ProviderAccount> {
  const row = await tx.db
    .insertInto('provider_accounts')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(account.id),
      provider: account.provider,
      status: providerAccountMachine.initial,
      credentials: account.credentials,
      credential_names: [...account.credentialNames],
      card_data: account.cardData,
      ...settingsToRow({ ...account, manifest: null }),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .returning(hasCredentials)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

type Changes = Partial<
  AccountSettings &
    Pick<
      ProviderAccount,
      | 'status'
      | 'manifest'
      | 'capabilities'
      | 'hold'
      | 'check'
      | 'secretRotatedAt'
      | 'callCredentialsChangedAt'
      | 'credentialNames'
    > & { readonly credentials: Buffer }
>

/** Writes a change that emits one event: increments the version and the event sequence by one. */
export async function updateAccount(
  tx: Tx,
  before: ProviderAccount,
  { credentials, ...changes }: Changes,
): Promise<ProviderAccount> {
  const after = { ...before, ...changes }
  const row = await tx.db
    .updateTable('provider_accounts')
    .set({
      ...settingsToRow(after),
      ...(credentials === undefined ? {} : { credentials }),
      status: after.status,
      hold_reason: after.hold?.reason ?? null,
      hold_until_at: after.hold?.untilAt ?? null,
      checked_at: after.check?.at ?? null,
      check_faults: after.check === null ? null : JSON.stringify(after.check.faults),
      secret_rotated_at: after.secretRotatedAt,
      call_credentials_changed_at: after.callCredentialsChangedAt,
      credential_names: [...after.credentialNames],
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .returning(hasCredentials)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)

  // Every write schedules the end of the hold, so that no service function can forget it.
  tx.wake('provider_account.release', before.id, row.hold_until_at)
  return fromRow(tx.caller.mode, row)
}

/** Null if the workspace has no such account. */
export async function findAccount(view: View, text: string): Promise<ProviderAccount | null> {
  const uuid = uuidFromText('provider_account', view.caller.mode, text)
  if (uuid === null) return null
  const row = await rowsOf(view).where('id', '=', uuid).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : null
}

export async function requireAccount(view: View, text: string): Promise<ProviderAccount> {
  return (await findAccount(view, text)) ?? refuse('not_found', { detail: missing })
}

/** Locks the account before a change, so that requests for one account are serialized. */
export async function lockAccount(tx: Tx, text: string): Promise<ProviderAccount> {
  const uuid =
    uuidFromText('provider_account', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const row = await rowsOf(tx).where('id', '=', uuid).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

const missing = 'There is no such provider account.'

function rowsOf(view: View) {
  return view.db
    .selectFrom('provider_accounts')
    .select(columns)
    .select(hasCredentials)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

export async function listAccounts(view: View, range: IdRange) {
  const { rows } = await sql<AccountRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))}, credentials is not null as has_credentials
    from provider_accounts
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

/** In any status, in the default order. */
export async function listIds(view: View): Promise<readonly Id<'provider_account'>[]> {
  const rows = await rowsOf(view).orderBy('position').orderBy('id').execute()
  return rows.map(({ id }) => idFromUuid('provider_account', view.caller.mode, id))
}

/** The active accounts, in the default order. */
export async function listActive(view: View): Promise<readonly ProviderAccount[]> {
  const rows = await rowsOf(view)
    .where('status', '=', 'active')
    .orderBy('position')
    .orderBy('id')
    .limit(maxAccounts)
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** The costs of all accounts that have any, in any status, by account id. */
export async function listCosts(view: View): Promise<ReadonlyMap<string, readonly CostSegment[]>> {
  const rows = await view.db
    .selectFrom('provider_accounts')
    .select(['id', 'costs'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('costs', '<>', sql<string>`'[]'`)
    .execute()
  const entryOf = ({ id, costs }: (typeof rows)[number]) =>
    [
      idFromUuid('provider_account', view.caller.mode, id),
      costs as unknown as readonly CostSegment[],
    ] as const
  return new Map(rows.map(entryOf))
}

/** The sealed credentials, and the current time to check their expiry. */
export async function findCredentials(view: View, id: Id<'provider_account'>, now: Reading) {
  const row = await view.db
    .selectFrom('provider_accounts')
    .select(['credentials', instantOf(now).as('now')])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row ?? refuse('not_found', { detail: missing })
}

/** The manifest is stored with the settings: together they are the configuration of the provider. */
function settingsToRow(account: AccountSettings & Pick<ProviderAccount, 'manifest' | 'capabilities'>) {
  const { settings, manifest } = account
  return {
    display_name: account.displayName,
    position: account.position,
    config: JSON.stringify(manifest === null ? settings : { ...settings, manifest }),
    narrowing: JSON.stringify(account.narrowing),
    capabilities: JSON.stringify(account.capabilities),
    costs: JSON.stringify(account.costs),
    metadata: JSON.stringify(account.metadata),
  }
}

function fromRow(mode: Mode, row: AccountRow): ProviderAccount {
  const { hold_reason: reason, hold_until_at: untilAt, checked_at: at, check_faults: faults } = row
  const { manifest = null, ...settings } = row.config as Settings & { manifest?: object }
  return {
    id: idFromUuid('provider_account', mode, row.id),
    provider: row.provider as ProviderName,
    status: row.status as Status,
    displayName: row.display_name,
    position: row.position,
    settings,
    manifest,
    narrowing: row.narrowing as Narrowing,
    cardData: row.card_data as CardData,
    capabilities: { ...(row.capabilities as Capabilities), methods: methodsIn(row.capabilities) },
    costs: row.costs as unknown as readonly CostSegment[],
    hold: reason === null || untilAt === null ? null : { reason, untilAt },
    check: at === null ? null : { at, faults: faults as readonly CheckFault[] },
    hasCredentials: row.has_credentials,
    secretRotatedAt: row.secret_rotated_at,
    callCredentialsChangedAt: row.call_credentials_changed_at,
    credentialNames: row.credential_names,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/** Accounts that were stored before other types of payment methods existed have none. */
function methodsIn(stored: unknown): Capabilities['methods'] {
  return (stored as Partial<Capabilities>).methods ?? {}
}
