/** Creates, rolls, revokes and authenticates API tokens. */
import type { Deps } from '../../../deps.ts'
import { type Caller, type Identity, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { idFromUuid, type Mode, type Ref } from '../../../kernel/id.ts'
import { nextTransition } from '../../../kernel/machine.ts'
import { readControl } from '../../../platform/db/control.ts'
import type { ControlCache } from '../../../platform/db/control-cache.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../audit/service.ts'
import { getWorkspace } from '../organizations/service.ts'
import { findActivePerson, findTokenCreator, type TokenCreator } from '../people/service.ts'
import { type ApiToken, earlierTime, type ShownToken } from './api-token.ts'
import { apiTokenMachine } from './machine.ts'
import type { CreateApiToken, RollApiToken } from './schema.ts'
import { directoryDueAt, expiredRetentionSeconds, revoke, updateDirectorySoon } from './service/directory.ts'
import { listSecrets } from './store/directory.ts'
import * as store from './store.ts'
import { generateToken, hashToken, hintOf } from './token.ts'

declare module '../../../deps.ts' {
  interface Caches {
    /** The entries of the token directory. Used only by `recognizeToken`. */
    readonly tokenLookups: ControlCache<store.TokenLookup>
  }
}

export async function createApiToken(deps: Deps, caller: Caller, input: CreateApiToken): Promise<ShownToken> {
  const creator = await findTokenCreator(deps, caller)
  const token = await transact(deps, caller, (tx) => createApiTokenInTx(tx, input, creator))
  const listed = await updateDirectorySoon(deps, { workspaceId: caller.workspaceId, id: token.id })
  // The creator was deactivated or demoted concurrently.
  if (listed === 'revoked') refuse('role_not_allowed')
  return token
}

/**
 * Creates a token in the transaction of the caller. Its secret is returned, and only a hash is stored. The caller calls
 * `updateDirectorySoon` after the commit.
 */
export async function createApiTokenInTx(
  tx: Tx,
  input: CreateApiToken,
  creator: TokenCreator | null,
): Promise<ShownToken> {
  const kind = input.kind ?? 'secret'
  requireMatchingRole(input)
  const expiresAt = requireFuture(tx, input.expires_at ?? null)
  const text = generateToken(kind, tx.caller.mode)
  const token: ApiToken = {
    id: tx.newId('api_token'),
    name: input.name,
    kind,
    role: input.role ?? null,
    status: apiTokenMachine.initial,
    hint: hintOf(text),
    createdBy: creator?.id ?? null,
    creatorGeneration: creator?.generation ?? 0,
    expiresAt,
    lastUsedAt: null,
    dueAt: expiresAt,
    directoryDueAt: directoryDueAt(tx),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  }
  await store.insertApiToken(tx, token)
  await store.insertHashes(tx, token.id, [{ hash: hashToken(text), createdAt: tx.now, expiresAt }])
  await recordAuditEntry(tx, 'api_token.created', { objectId: token.id, details: { kind, role: token.role } })
  return { ...token, text }
}

function requireMatchingRole(input: CreateApiToken): void {
  const isSecret = (input.kind ?? 'secret') === 'secret'
  if (isSecret === (input.role !== undefined)) return
  if (isSecret) refuseMember('/role', 'required', 'is required for a secret token')
  refuseMember('/role', 'not_together', 'must be omitted for a publishable token')
}

function requireFuture(tx: Tx, text: string | null): Date | null {
  if (text === null) return null
  const at = new Date(text)
  if (at > tx.now) return at
  return refuseMember('/expires_at', 'too_small', 'must be in the future')
}

export function getApiToken(deps: Deps, caller: Caller, id: string): Promise<ApiToken> {
  return read(deps, caller, (view) => store.findApiToken(view, id))
}

export function listApiTokens(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listApiTokens(view, range))
}

/**
 * Adds a new secret. The old one stays valid during the overlap, so that servers can be updated one by one.
 */
export async function rollApiToken(
  deps: Deps,
  caller: Caller,
  id: string,
  input: RollApiToken,
): Promise<ShownToken> {
  const { workspaceId } = caller
  const ref = { workspaceId, id: (await getApiToken(deps, caller, id)).id }
  // Secrets that processes of the previous release added are only in the directory.
  const listed = await readControl(deps, (db) => listSecrets(db, ref))
  const token = await transact(deps, caller, async (tx) => {
    const before = await store.lockApiToken(tx, id)
    const row = nextTransition(apiTokenMachine, { state: before.status, trigger: 'roll', facts: {} })
    const overlapSeconds = input.overlap_seconds ?? 3600
    const othersExpireAt = addSeconds(tx.now, overlapSeconds)
    const text = generateToken(before.kind, caller.mode)
    await store.insertHashes(tx, before.id, listed)
    await store.expireHashes(tx, before.id, othersExpireAt)
    const added = { hash: hashToken(text), createdAt: tx.now, expiresAt: before.expiresAt }
    await store.insertHashes(tx, before.id, [added])
    const dueAt = earlierTime(before.expiresAt, addSeconds(othersExpireAt, expiredRetentionSeconds))
    const { expiresAt } = before
    const after = await store.updateApiToken(tx, before, {
      status: row.to,
      hint: hintOf(text),
      expiresAt,
      dueAt,
      directoryDueAt: directoryDueAt(tx),
    })
    await recordAuditEntry(tx, 'api_token.rolled', {
      objectId: after.id,
      details: { overlap_seconds: overlapSeconds },
    })
    return { ...after, text }
  })
  await updateDirectorySoon(deps, ref)
  return token
}

/** Takes effect in every process within five seconds, the time for which an authenticated token is cached. */
export async function revokeApiToken(deps: Deps, caller: Caller, id: string): Promise<ApiToken> {
  const token = await transact(deps, caller, async (tx) => {
    const before = await store.lockApiToken(tx, id)
    const row = nextTransition(apiTokenMachine, { state: before.status, trigger: 'revoke', facts: {} })
    return row.to === before.status ? before : revoke(tx, before)
  })
  await updateDirectorySoon(deps, { workspaceId: caller.workspaceId, id: token.id })
  return token
}

/**
 * Revokes the tokens of a deactivated or demoted person, which may be in several workspaces. The audit log of
 * each workspace names the caller.
 */
export async function revokeApiTokens(
  deps: Deps,
  { authority, personId }: Caller,
  tokens: readonly Ref<'api_token'>[],
): Promise<void> {
  for (const ref of tokens) {
    await transact(deps, { ...systemCaller(ref), authority, personId }, async (tx) => {
      const token = await store.lockApiToken(tx, ref.id)
      if (token.status === 'active') await revoke(tx, token)
      // An expired token keeps its status. Only its secrets are deleted.
      else await forgetSecrets(tx, token)
    })
    await updateDirectorySoon(deps, ref)
  }
}

async function forgetSecrets(tx: Tx, token: ApiToken): Promise<void> {
  await store.deleteAllHashes(tx, token.id)
  await store.updateApiToken(tx, token, { ...token, directoryDueAt: directoryDueAt(tx) })
}

/** Background work: expires a token, and deletes secrets that expired long ago. */
export async function expireApiToken(deps: Deps, ref: Ref<'api_token'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockApiToken(tx, ref.id)
    // Work can run late or twice, so check whether it is still due.
    if (before.dueAt === null || before.dueAt > tx.now) return
    if (before.expiresAt === null || before.expiresAt > tx.now) {
      const nextExpiry = await store.deleteExpiredHashes(
        tx,
        before.id,
        addSeconds(tx.now, -expiredRetentionSeconds),
      )
      const nextDeletion = nextExpiry === null ? null : addSeconds(nextExpiry, expiredRetentionSeconds)
      await store.updateApiToken(tx, before, {
        ...before,
        dueAt: earlierTime(before.expiresAt, nextDeletion),
        directoryDueAt: directoryDueAt(tx),
      })
      return
    }
    const row = nextTransition(apiTokenMachine, { state: before.status, trigger: 'end_reached', facts: {} })
    await store.updateApiToken(tx, before, { ...before, status: row.to, dueAt: null })
    await recordAuditEntry(tx, 'api_token.expired', { objectId: before.id })
  })
  await updateDirectorySoon(deps, ref)
}

/** Finds the token of a secret. Called only with well-formed secrets. */
export async function recognizeToken(deps: Deps, text: string): Promise<Identity> {
  const reading = deps.clock.read()
  const now = reading.from === 'database' ? null : reading.at
  const hash = hashToken(text)
  const entry = await deps.tokenLookups.read(deps, hash.toString('base64'), (db) =>
    store.findByHash(db, hash, now),
  )
  if (entry === null) return { status: 'unknown' }
  if (entry.isExpired) return { status: 'expired' }

  const mode = text.slice(3, 7) as Mode
  const workspaceId = idFromUuid('workspace', mode, entry.workspaceUuid)
  const tokenId = idFromUuid('api_token', mode, entry.tokenUuid)
  const caller = systemCaller({ workspaceId, id: tokenId })
  const [[token, isExpired], workspace] = await Promise.all([
    // Use the status in the workspace, because the directory may not have been updated yet.
    read(deps, caller, (view) =>
      Promise.all([store.findApiToken(view, tokenId), store.isHashExpired(view, hash, now)]),
    ),
    getWorkspace(deps, caller),
  ])
  if (isExpired) return { status: 'expired' }
  if (token.status !== 'active') return { status: token.status === 'expired' ? 'expired' : 'unknown' }
  const authority = token.role ?? 'publishable'
  const { apiVersion } = workspace
  return { status: 'known', workspaceId, tokenId, personId: null, mode, authority, apiVersion }
}

/** Updates the time of the last use. */
export function recordTokenUse(deps: Deps, ref: Ref<'api_token'>): Promise<void> {
  return transact(deps, systemCaller(ref), (tx) => store.updateLastUsed(tx, ref.id))
}

/** The caller, its allowed operations, and the person if the dashboard made the request. */
export async function describeCaller(deps: Deps, caller: Caller) {
  const { personId } = caller
  const person = personId === null ? null : await findActivePerson(deps, personId)
  return { caller, person, allowedOperations: deps.allowedOperations(caller.authority, caller.mode) }
}
