/** Making a token: of a card that was typed, or of one that a provider holds. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../provider-accounts/service.ts'
import { looksLikeCardNumber } from '../card-number.ts'
import { type CardToken, type RawCard, type TypedCard, tokenLifeSeconds } from '../card-token.ts'
import type { CreateToken } from '../schema.ts'
import * as store from '../store.ts'
import { isTestCard, testIssuer } from '../test-cards.ts'
import { faultsOf, rawCardOf, shownCardOf } from '../typed-card.ts'
import { requireOpenVault } from './confirmation.ts'
import { putCard } from './vault.ts'

export function createToken(deps: Deps, caller: Caller, input: CreateToken): Promise<CardToken> {
  const { type, card, provider_token: providerToken } = input
  if (type === 'card') {
    if (providerToken !== undefined)
      refuseMember('/provider_token', 'not_together', 'does not go with this type')
    return card === undefined ? missing(type) : transact(deps, caller, (tx) => tokenOfCard(deps, tx, card))
  }
  if (card !== undefined) refuseMember('/card', 'not_together', 'does not go with this type')
  return providerToken === undefined
    ? missing(type)
    : transact(deps, caller, (tx) => tokenOfProvider(deps, tx, providerToken))
}

function missing(type: CreateToken['type']): never {
  return refuseMember(`/${type}`, 'required', 'is required for this type')
}

/**
 * The card is in the vault before its token is committed here: a token whose card is missing would be worse
 * than a card whose token is. Such a card is found by the vault when its time is over.
 */
async function tokenOfCard(deps: Deps, tx: Tx, typed: TypedCard): Promise<CardToken> {
  await requireOpenVault(deps, tx)
  const card = rawCardOf(typed)
  requireCard(tx, card)
  const shown = shownCardOf(card)
  const id = tx.newId('token')
  const fingerprint = await putCard(deps, tx, id, card)
  const token: CardToken = {
    ...newToken(tx),
    id,
    type: 'card',
    card: tx.caller.mode === 'test' ? { ...shown, ...testIssuer } : shown,
    fingerprint,
    providerAccountId: null,
  }
  await store.insertToken(tx, token, null)
  return token
}

function requireCard(tx: Tx, card: RawCard): void {
  const errors = faultsOf(card, tx.now)
  if (errors.length > 0) refuse('invalid_request', { detail: 'The card is not valid.', errors })
  if (tx.caller.mode === 'live' || isTestCard(card.number)) return
  refuse('test_card_required')
}

async function tokenOfProvider(
  deps: Deps,
  tx: Tx,
  input: NonNullable<CreateToken['provider_token']>,
): Promise<CardToken> {
  // The one place where a number could slip in as something else.
  if (looksLikeCardNumber(input.token)) {
    refuseMember(
      '/provider_token/token',
      'bad_format',
      'must be a token of the provider, not the number of a card',
    )
  }
  const account = await findAccount(tx, input.provider_account_id)
  if (account === null || account.status === 'archived') return refuse('reference_not_found', noAccount)
  const { funding = null, country = null, bin = null, ...card } = input.card
  const token: CardToken = {
    ...newToken(tx),
    id: tx.newId('token'),
    type: 'provider_token',
    card: { ...card, funding, country, bin },
    fingerprint: null,
    providerAccountId: account.id,
  }
  const place = {
    workspaceId: tx.caller.workspaceId,
    table: 'card_tokens',
    column: 'provider_token',
    rowId: token.id,
  }
  await store.insertToken(tx, token, await deps.sealedBox.seal(tx.db, place, input.token))
  return token
}

const noAccount = {
  errors: [
    {
      pointer: '/provider_token/provider_account_id',
      code: 'not_found',
      detail: 'is not a provider account of this workspace',
    },
  ],
} as const

function newToken(tx: Tx) {
  return { expiresAt: addSeconds(tx.now, tokenLifeSeconds), usedAt: null, createdAt: tx.now }
}
