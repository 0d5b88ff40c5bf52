/**
 * Into the vault and out of it. A number is sealed before it reaches the database and opened only for whoever
 * sends it to a provider: no operation of the API shows one. A code is sealed twice: with the key of the
 * workspace, which needs the master key, and with one of this half hour, which is soon gone for good.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, modeOf, uuidOf } from '../../../kernel/id.ts'
import {
  type CodeKey,
  codeLifeSeconds,
  findCodeKey,
  findCurrentCodeKey,
  makeCodeKey,
} from '../../../platform/db/code-keys.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { withRetries } from '../../../platform/db/retries.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { decrypt, encrypt } from '../../../platform/sealed-box/cipher.ts'
import type { Place } from '../../../platform/sealed-box.ts'
import { type RawCard, tokenLifeSeconds, vaultPatienceSeconds } from '../card-token.ts'
import * as vault from '../store/vault.ts'

type Workspace = Id<'workspace'>

/** Stores the card under the id of its token, whatever becomes of the unit. Gives its fingerprint. */
export async function putCard(deps: Deps, tx: Tx, id: Id<'token'>, card: RawCard): Promise<string> {
  const { workspaceId } = tx.caller
  const key = { workspaceId, uuid: uuidOf(id) }
  const { cvc, number, expMonth, expYear, name } = card
  const codeKey = cvc === null ? null : await currentCodeKey(deps, workspaceId)
  return inVault(deps, workspaceId, async (db) => {
    const text = JSON.stringify({ number, expMonth, expYear, name })
    await vault.insertCard(db, key, {
      sealed: await deps.sealedBox.seal(db, placeOf(workspaceId, 'vault.cards', id), text),
      createdAt: tx.now,
      expiresAt: addSeconds(tx.now, tokenLifeSeconds + vaultPatienceSeconds),
    })
    if (cvc !== null && codeKey !== null) {
      await vault.insertCode(db, key, {
        sealed: await sealCode(deps, db, { workspaceId, id, codeKey, cvc }),
        period: codeKey.period,
        expiresAt: addSeconds(tx.now, codeLifeSeconds),
      })
    }
    const hashKey = await deps.sealedBox.derive(db, workspaceId, 'card fingerprint')
    return createHmac('sha256', hashKey).update(number).digest('base64url')
  })
}

/** The code is null after a quarter of an hour, when it was forgotten, or after a crash of the database. */
export async function revealCard(
  deps: Deps,
  workspaceId: Workspace,
  vaultCardId: string,
): Promise<RawCard | null> {
  const key = { workspaceId, uuid: vaultCardId }
  const id = idFromUuid('token', modeOf(workspaceId), vaultCardId)
  return withRetries(null, () =>
    inVault(deps, workspaceId, async (db) => {
      const [sealed, code] = await Promise.all([
        vault.findCard(db, key),
        vault.findCode(db, key, deps.clock.read()),
      ])
      if (sealed === null) return null
      const text = await deps.sealedBox.open(db, placeOf(workspaceId, 'vault.cards', id), sealed)
      const cvc = code === null ? null : await openCode(deps, db, { workspaceId, id, code })
      return { ...(JSON.parse(text) as Omit<RawCard, 'cvc'>), cvc }
    }),
  )
}

/** When the attempts of a payment are final: from then on nobody may have the code. */
export async function forgetSecurityCode(
  deps: Deps,
  workspaceId: Workspace,
  vaultCardId: string,
): Promise<void> {
  await withRetries(null, () =>
    inVault(deps, workspaceId, (db) => vault.deleteCodes(db, workspaceId, [vaultCardId])),
  )
}

export function inVault<T>(deps: Deps, workspaceId: Workspace, body: (db: Db) => Promise<T>): Promise<T> {
  return deps.databases.of(workspaceId).inVault(workspaceId, body)
}

/** In transactions of their own: a key is made behind a lock that waits for everyone who reads one. */
async function currentCodeKey(deps: Deps, workspaceId: Workspace): Promise<CodeKey> {
  const { period, key } = await inVault(deps, workspaceId, findCurrentCodeKey)
  return key === null ? inVault(deps, workspaceId, (db) => makeCodeKey(db, period)) : { period, key }
}

async function sealCode(
  deps: Deps,
  db: Db,
  of: { workspaceId: Workspace; id: Id<'token'>; codeKey: CodeKey; cvc: string },
): Promise<Buffer> {
  const { period, key } = of.codeKey
  const inner = encrypt(createSecretKey(key), bindingOf(of, period), Buffer.from(of.cvc))
  return deps.sealedBox.seal(
    db,
    placeOf(of.workspaceId, 'vault.security_codes', of.id),
    inner.toString('base64'),
  )
}

async function openCode(
  deps: Deps,
  db: Db,
  of: { workspaceId: Workspace; id: Id<'token'>; code: vault.SealedCode },
): Promise<string | null> {
  const { period, sealed } = of.code
  const key = await findCodeKey(db, period)
  if (key === null) return null
  const inner = await deps.sealedBox.open(db, placeOf(of.workspaceId, 'vault.security_codes', of.id), sealed)
  const bytes = decrypt(createSecretKey(key), bindingOf(of, period), Buffer.from(inner, 'base64'))
  assert(bytes !== null, `The code of ${of.id} was sealed with another key than that of its half hour.`)
  return bytes.toString()
}

function bindingOf({ workspaceId, id }: { workspaceId: Workspace; id: Id<'token'> }, period: number) {
  return ['security_code', uuidOf(workspaceId), uuidOf(id), period]
}

function placeOf(workspaceId: Workspace, table: string, rowId: Id<'token'>): Place {
  return { workspaceId, table, column: 'sealed', rowId }
}
