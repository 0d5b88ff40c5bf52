/** What can be done with API tokens, and how one is recognized. */
import type { Deps } from '../../deps.ts'
import { type Caller, type Identity, systemCaller } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { refuseMember } from '../../kernel/errors.ts'
import { idFromUuid, type Mode, type Ref } from '../../kernel/id.ts'
import { step } from '../../kernel/machine.ts'
import { readControl } from '../../platform/db/control.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { getWorkspace } from '../organizations/service.ts'
import { findActivePerson } from '../people/service.ts'
import { type ApiToken, type ShownToken, sooner } from './api-token.ts'
import { apiTokenMachine } from './machine.ts'
import type { CreateApiToken, RollApiToken } from './schema.ts'
import * as store from './store.ts'
import { drawToken, hashToken, hintOf } from './token.ts'

/** A text that has ended opens nothing, but whoever still uses it is told so, rather than that it never was. */
const rememberSeconds = 30 * 24 * 60 * 60

export function createApiToken(deps: Deps, caller: Caller, input: CreateApiToken): Promise<ShownToken> {
  return transact(deps, caller, (tx) => makeApiToken(tx, input))
}

/** Makes a token in the caller's unit. Its text is in the answer and nowhere else. */
export async function makeApiToken(tx: Tx, input: CreateApiToken): Promise<ShownToken> {
  const kind = input.kind ?? 'secret'
  requireRoleThatFits(input)
  const expiresAt = requireFuture(tx, input.expires_at ?? null)
  const text = drawToken(kind, tx.caller.mode)
  const token: ApiToken = {
    id: tx.newId('api_token'),
    name: input.name,
    kind,
    role: input.role ?? null,
    status: apiTokenMachine.initial,
    hint: hintOf(text),
    expiresAt,
    lastUsedAt: null,
    dueAt: expiresAt,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  }
  await store.insertApiToken(tx, token)
  await store.addText(tx, token.id, { hash: hashToken(text), expiresAt, othersEndAt: null })
  await recordAct(tx, 'api_token.created', { objectId: token.id, details: { kind, role: token.role } })
  return { ...token, text }
}

function requireRoleThatFits(input: CreateApiToken): void {
  const isSecret = (input.kind ?? 'secret') === 'secret'
  if (isSecret === (input.role !== undefined)) return
  if (isSecret) refuseMember('/role', 'required', 'is required for a secret token')
  refuseMember('/role', 'not_together', 'a publishable token has no role')
}

function requireFuture(tx: Tx, text: string | null): Date | null {
  if (text === null) return null
  const at = new Date(text)
  if (at > tx.now) return at
  return refuseMember('/expires_at', 'too_small', 'must lie in the future')
}

export function getApiToken(deps: Deps, caller: Caller, id: string): Promise<ApiToken> {
  return read(deps, caller, (view) => store.findApiToken(view, id))
}

export function listApiTokens(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listApiTokens(view, range))
}

/** Gives the token a new text. The old one works on for the overlap, so that servers can be changed one by one. */
export function rollApiToken(
  deps: Deps,
  caller: Caller,
  id: string,
  input: RollApiToken,
): Promise<ShownToken> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockApiToken(tx, id)
    const row = step(apiTokenMachine, { state: before.status, trigger: 'roll', facts: {} })
    const overlapSeconds = input.overlap_seconds ?? 3600
    const othersEndAt = addSeconds(tx.now, overlapSeconds)
    const text = drawToken(before.kind, caller.mode)
    await store.addText(tx, before.id, { hash: hashToken(text), expiresAt: before.expiresAt, othersEndAt })
    const dueAt = sooner(before.expiresAt, addSeconds(othersEndAt, rememberSeconds))
    const { expiresAt } = before
    const after = await store.updateApiToken(tx, before, {
      status: row.to,
      hint: hintOf(text),
      expiresAt,
      dueAt,
    })
    await recordAct(tx, 'api_token.rolled', {
      objectId: after.id,
      details: { overlap_seconds: overlapSeconds },
    })
    return { ...after, text }
  })
}

/** Ends the token in every process within the five seconds that a found token is remembered. */
export function revokeApiToken(deps: Deps, caller: Caller, id: string): Promise<ApiToken> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockApiToken(tx, id)
    const row = step(apiTokenMachine, { state: before.status, trigger: 'revoke', facts: {} })
    if (row.to === before.status) return before
    await store.forgetAllTexts(tx, before.id)
    const after = await store.updateApiToken(tx, before, { ...before, status: row.to, dueAt: null })
    await recordAct(tx, 'api_token.revoked', { objectId: after.id })
    return after
  })
}

/** Work: a token whose end has come expires, and texts that ended long ago are forgotten. */
export async function expireApiToken(deps: Deps, ref: Ref<'api_token'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockApiToken(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.dueAt === null || before.dueAt > tx.now) return
    if (before.expiresAt === null || before.expiresAt > tx.now) {
      const nextEnd = await store.forgetTexts(tx, before.id, addSeconds(tx.now, -rememberSeconds))
      const nextForgetting = nextEnd === null ? null : addSeconds(nextEnd, rememberSeconds)
      await store.updateApiToken(tx, before, { ...before, dueAt: sooner(before.expiresAt, nextForgetting) })
      return
    }
    const row = step(apiTokenMachine, { state: before.status, trigger: 'end_reached', facts: {} })
    await store.updateApiToken(tx, before, { ...before, status: row.to, dueAt: null })
    await recordAct(tx, 'api_token.expired', { objectId: before.id })
  })
}

/** Who holds this text? It is asked only about texts that are well formed. */
export async function recognizeToken(deps: Deps, text: string): Promise<Identity> {
  const reading = deps.clock.read()
  const now = reading.from === 'database' ? null : reading.at
  const entry = await readControl(deps, (db) => store.findByHash(db, hashToken(text), now))
  if (entry === null) return { is: 'unknown' }
  if (entry.isOver) return { is: 'expired' }

  const mode = text.slice(3, 7) as Mode
  const workspaceId = idFromUuid('workspace', mode, entry.workspaceUuid)
  const tokenId = idFromUuid('api_token', mode, entry.tokenUuid)
  const caller = systemCaller({ workspaceId, id: tokenId })
  const [token, workspace] = await Promise.all([
    getApiToken(deps, caller, tokenId),
    getWorkspace(deps, caller),
  ])
  if (token.status !== 'active') return { is: token.status === 'expired' ? 'expired' : 'unknown' }
  const authority = token.role ?? 'publishable'
  const { apiVersion } = workspace
  return { is: 'known', workspaceId, tokenId, personId: null, mode, authority, apiVersion }
}

/** Notes that the token is in use. */
export function noteUse(deps: Deps, ref: Ref<'api_token'>): Promise<void> {
  return transact(deps, systemCaller(ref), (tx) => store.touch(tx, ref.id))
}

/** What the token of the request is and may do, and who holds it if it is somebody at the dashboard. */
export async function describeCaller(deps: Deps, caller: Caller) {
  const { personId } = caller
  const person = personId === null ? null : await findActivePerson(deps, personId)
  return { caller, person, allowedOperations: deps.allowedOperations(caller.authority, caller.mode) }
}
