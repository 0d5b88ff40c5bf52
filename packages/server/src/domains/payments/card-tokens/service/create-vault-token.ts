/**
 * Creates a token for a card in a vault of another service. The card details come from the vault if it has an
 * API for them, because the payer's browser could send false details to evade rules and limits.
 */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import type { TokenLookup, VaultToken } from '../../../../vaults/contract.ts'
import { type OpenVault, openVault } from '../../../access/organizations/service/card-data.ts'
import { type CardFacts, findCardFacts } from '../../card-bins/service.ts'
import { looksLikeCardNumber } from '../card-number.ts'
import { type CardToken, type DisplayCard, tokenLifetimeSeconds } from '../card-token.ts'
import type { CreateToken } from '../schema.ts'
import * as store from '../store.ts'
import { testIssuer } from '../test-cards.ts'
import { cardFromCaller, cardFromVault, isExpired, vaultFingerprint } from '../vault-token.ts'

type Input = NonNullable<CreateToken['vault_token']>

export async function createVaultToken(deps: Deps, caller: Caller, input: Input): Promise<CardToken> {
  const { workspaceId } = caller
  const opened = await openVault(deps, workspaceId)
  if (opened === null)
    return refuseMember(
      '/type',
      'not_in_list',
      'needs a vault: set card_data.vault with PUT /workspace first',
    )
  requireNoCardNumber(input)
  const found = await findCard(deps, caller, opened, input)
  const facts = found.card.bin === null ? null : await findCardFacts(deps, found.card.bin)
  const token: VaultToken = { number: input.token, cvc: cvcTokenOf(opened, input, found.hasCvc) }

  return transact(deps, caller, async (tx) => {
    if (isExpired(found.card, tx.now))
      refuseMember('/vault_token/token', 'too_small', 'is the token of a card that has expired')
    const id = tx.newId('token')
    const hashKey = await deps.sealedBox.derive(tx.db, workspaceId, 'card fingerprint')
    const hash = createHmac('sha256', hashKey).update(found.identity).digest('base64url')
    const created: CardToken = {
      id,
      type: 'vault_token',
      card: withFacts(found.card, facts ?? (tx.caller.mode === 'test' ? testIssuer : null)),
      debit: null,
      accountHolderName: null,
      fingerprint: vaultFingerprint(opened.vault, hash),
      providerAccountId: null,
      expiresAt: addSeconds(tx.now, tokenLifetimeSeconds),
      usedAt: null,
      createdAt: tx.now,
    }
    const sealed = await deps.sealedBox.seal(tx.db, locationOf(workspaceId, id), JSON.stringify(token))
    await store.insertVaultToken(tx, created, { vault: opened.vault.id, sealed })
    return created
  })
}

export function locationOf(workspaceId: Id<'workspace'>, rowId: Id<'token'>) {
  return { workspaceId, table: 'card_tokens', column: 'vault_token', rowId }
}

/** These are the members in which a client could send a card number by mistake. */
function requireNoCardNumber({ token, cvc_token: cvcToken }: Input): void {
  if (looksLikeCardNumber(token))
    refuseMember('/vault_token/token', 'bad_format', 'must be a token of the vault, not a card number')
  if (cvcToken !== undefined && /^[0-9]{3,4}$/.test(cvcToken))
    refuseMember('/vault_token/cvc_token', 'bad_format', 'must be a token of the vault, not a security code')
}

type FoundCard = {
  readonly card: DisplayCard
  /** Identifies the card number at the vault. */
  readonly identity: string
  readonly hasCvc: boolean
}

async function findCard(
  deps: Deps,
  caller: Caller,
  { vault, config }: OpenVault,
  input: Input,
): Promise<FoundCard> {
  if (vault.token === undefined) {
    if (input.card === undefined)
      return refuseMember('/vault_token/card', 'required', `is required for ${vault.name}`)
    return { card: cardFromCaller(input.card), identity: input.token, hasCvc: input.cvc_token !== undefined }
  }
  if (input.card !== undefined)
    refuseMember(
      '/vault_token/card',
      'not_together',
      `cannot be sent: ${vault.name} provides the card details`,
    )
  const reply = await deps.outbound.send({
    ...vault.token.build(input.token, config),
    mode: caller.mode,
    pool: `${caller.workspaceId} vault tokens`,
    timeoutMs: 10_000,
    connectMs: 3_000,
    maxResponseBytes: 64 * 1024,
    maxConnections: 16,
  })
  const lookup: TokenLookup =
    reply.kind === 'answered' && !reply.truncated ? vault.token.parse(reply) : { is: 'unreadable' }
  if (lookup.is !== 'card') return refuseLookup(lookup.is, vault.name)
  const { card } = lookup
  return { card: cardFromVault(card), identity: card.fingerprint ?? input.token, hasCvc: card.hasCvc }
}

function refuseLookup(is: Exclude<TokenLookup['is'], 'card'>, name: string): never {
  if (is === 'missing') {
    const detail = `is not a token of a card at ${name}`
    return refuse('reference_not_found', {
      errors: [{ pointer: '/vault_token/token', code: 'not_found', detail }],
    })
  }
  return refuse('vault_unavailable', {
    detail:
      is === 'refused'
        ? `${name} rejected the credentials of this workspace: check card_data.vault of the workspace.`
        : `${name} did not return the details of the card.`,
  })
}

/** The CVC is part of the token at a vault that provides the card details, and a separate token at others. */
function cvcTokenOf(
  { vault }: OpenVault,
  { token, cvc_token: cvcToken }: Input,
  hasCvc: boolean,
): string | null {
  if (vault.token === undefined) return cvcToken ?? null
  if (cvcToken !== undefined)
    refuseMember(
      '/vault_token/cvc_token',
      'not_together',
      `cannot be sent: the token of ${vault.name} includes it`,
    )
  return hasCvc ? token : null
}

/** What the vault states takes precedence over the BIN table. */
function withFacts(card: DisplayCard, facts: CardFacts | null): DisplayCard {
  if (facts === null) return card
  return {
    ...card,
    funding: card.funding ?? facts.funding,
    country: card.country ?? facts.country,
    issuer: card.issuer ?? facts.issuer ?? null,
  }
}
