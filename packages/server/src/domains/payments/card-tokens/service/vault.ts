/**
 * Writes to and reads from the vault. A card number is sealed before it reaches the database, and only opened
 * to send it to a provider: no API operation returns one. A CVC is sealed twice: with the key of the
 * workspace, which the master key encrypts, and with a key of the current half hour, which is soon deleted.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Id, idFromUuid, modeOf, uuidOf } from '../../../../kernel/id.ts'
import {
  type CvcKey,
  createCvcKey,
  cvcLifetimeSeconds,
  findCurrentCvcKey,
  findCvcKey,
} from '../../../../platform/db/cvc-keys.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { onShardOf } from '../../../../platform/db/fence.ts'
import { withRetries } from '../../../../platform/db/retries.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { decrypt, encrypt } from '../../../../platform/sealed-box/cipher.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import { type RawCard, tokenLifetimeSeconds, vaultGraceSeconds } from '../card-token.ts'
import * as vault from '../store/vault.ts'

type Workspace = Id<'workspace'>

/**
 * Stores the card under the id of its token and returns its fingerprint. The vault has its own transaction:
 * the card is stored even if `tx` is rolled back.
 */
export async function storeCard(deps: Deps, tx: Tx, id: Id<'token'>, card: RawCard): Promise<string> {
  const { workspaceId } = tx.caller
  const key = { workspaceId, uuid: uuidOf(id) }
  const { cvc, number, expMonth, expYear, name } = card
  const cvcKey = cvc === null ? null : await currentCvcKey(deps, workspaceId)
  return inVault(deps, workspaceId, async (db) => {
    const text = JSON.stringify({ number, expMonth, expYear, name })
    await vault.insertCard(db, key, {
      sealed: await deps.sealedBox.seal(db, locationOf(workspaceId, 'vault.cards', id), text),
      createdAt: tx.now,
      expiresAt: addSeconds(tx.now, tokenLifetimeSeconds + vaultGraceSeconds),
    })
    if (cvc !== null && cvcKey !== null) {
      await vault.insertCvc(db, key, {
        sealed: await encryptCvc(deps, db, { workspaceId, id, cvcKey, cvc }),
        period: cvcKey.period,
        expiresAt: addSeconds(tx.now, cvcLifetimeSeconds),
      })
    }
    const hashKey = await deps.sealedBox.derive(db, workspaceId, 'card fingerprint')
    return createHmac('sha256', hashKey).update(number).digest('base64url')
  })
}

/** The CVC is null after 15 minutes, after it was deleted, or after a crash of the database. */
export async function revealCard(
  deps: Deps,
  workspaceId: Workspace,
  vaultCardId: string,
): Promise<RawCard | null> {
  const key = { workspaceId, uuid: vaultCardId }
  const id = idFromUuid('token', modeOf(workspaceId), vaultCardId)
  return withRetries({ isRepeatable: true }, () =>
    inVault(deps, workspaceId, async (db) => {
      const [sealed, code] = await Promise.all([
        vault.findCard(db, key),
        vault.findCvc(db, key, deps.clock.read()),
      ])
      if (sealed === null) return null
      const text = await deps.sealedBox.open(db, locationOf(workspaceId, 'vault.cards', id), sealed)
      const cvc = code === null ? null : await decryptCvc(deps, db, { workspaceId, id, code })
      return { ...(JSON.parse(text) as Omit<RawCard, 'cvc'>), cvc }
    }),
  )
}

/** Call it when the attempts of a payment have ended: the CVC must not be kept any longer. */
export async function deleteCvc(deps: Deps, workspaceId: Workspace, vaultCardId: string): Promise<void> {
  await withRetries({ isRepeatable: true }, () =>
    inVault(deps, workspaceId, (db) => vault.deleteCvcs(db, workspaceId, [vaultCardId])),
  )
}

export function inVault<T>(deps: Deps, workspaceId: Workspace, body: (db: Db) => Promise<T>): Promise<T> {
  return onShardOf(deps.databases, workspaceId, (shard) => shard.inVault(workspaceId, body))
}

/** Runs in separate transactions, because creating a key takes a lock that waits for all readers. */
async function currentCvcKey(deps: Deps, workspaceId: Workspace): Promise<CvcKey> {
  const { period, key } = await inVault(deps, workspaceId, findCurrentCvcKey)
  return key === null ? inVault(deps, workspaceId, (db) => createCvcKey(db, period)) : { period, key }
}

async function encryptCvc(
  deps: Deps,
  db: Db,
  input: { workspaceId: Workspace; id: Id<'token'>; cvcKey: CvcKey; cvc: string },
): Promise<Buffer> {
  const { period, key } = input.cvcKey
  const inner = encrypt(createSecretKey(key), bindingOf(input, period), Buffer.from(input.cvc))
  return deps.sealedBox.seal(
    db,
    locationOf(input.workspaceId, 'vault.security_codes', input.id),
    inner.toString('base64'),
  )
}

async function decryptCvc(
  deps: Deps,
  db: Db,
  input: { workspaceId: Workspace; id: Id<'token'>; code: vault.SealedCvc },
): Promise<string | null> {
  const { period, sealed } = input.code
  const key = await findCvcKey(db, period)
  if (key === null) return null
  const inner = await deps.sealedBox.open(
    db,
    locationOf(input.workspaceId, 'vault.security_codes', input.id),
    sealed,
  )
  const bytes = decrypt(createSecretKey(key), bindingOf(input, period), Buffer.from(inner, 'base64'))
  assert(bytes !== null, `The CVC of ${input.id} was encrypted with a key of another half hour.`)
  return bytes.toString()
}

function bindingOf({ workspaceId, id }: { workspaceId: Workspace; id: Id<'token'> }, period: number) {
  return ['security_code', uuidOf(workspaceId), uuidOf(id), period]
}

function locationOf(workspaceId: Workspace, table: string, rowId: Id<'token'>): SecretLocation {
  return { workspaceId, table, column: 'sealed', rowId }
}
