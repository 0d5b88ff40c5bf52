/** Creates a token for card details that the payer entered, or for a card stored at a provider or in a vault. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { isDebit, isRedirect, type RedirectType } from '../../../../providers/contract.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import { type CardFacts, findCardFacts } from '../../card-bins/service.ts'
import { faultsOfCard, toDisplayCard, toRawCard } from '../card-input.ts'
import { digitsOf, looksLikeCardNumber } from '../card-number.ts'
import { type CardInput, type CardToken, type DisplayCard, type RawCard, tokenTypes } from '../card-token.ts'

export { tokenTypes } from '../card-token.ts'
export type { CreateToken } from '../schema.ts'

import type { CreateToken } from '../schema.ts'
import * as store from '../store.ts'
import { isTestCard, testIssuer } from '../test-cards.ts'
import { requireEnabledVault } from './confirmation.ts'
import { createDebitToken } from './create-debit-token.ts'
import { createVaultToken } from './create-vault-token.ts'
import { newTokenTimes } from './token-times.ts'
import { storeCard } from './vault.ts'

export async function createToken(deps: Deps, caller: Caller, input: CreateToken): Promise<CardToken> {
  const { type, card, provider_token: providerToken, vault_token: vaultToken } = input
  refuseOtherMembers(input)
  if (isRedirect(type))
    return transact(deps, caller, (tx) =>
      createRedirectToken(tx, type, input[type]?.account_holder_name ?? null),
    )
  if (type === 'card') {
    if (card === undefined) return refuseMissingMember(type)
    const facts = await findCardFacts(deps, digitsOf(card.number))
    return transact(deps, caller, (tx) => createCardToken(deps, tx, card, facts))
  }
  if (type === 'vault_token')
    return vaultToken === undefined ? refuseMissingMember(type) : createVaultToken(deps, caller, vaultToken)
  if (isDebit(type)) {
    const debit = input[type]
    return debit === undefined
      ? refuseMissingMember(type)
      : transact(deps, caller, (tx) => createDebitToken(deps, tx, type, debit))
  }
  return providerToken === undefined
    ? refuseMissingMember(type)
    : transact(deps, caller, (tx) => createProviderToken(deps, tx, providerToken))
}

/** Only the name of the payer is stored: the provider identifies the payer on its page. */
async function createRedirectToken(
  tx: Tx,
  type: RedirectType,
  accountHolderName: string | null,
): Promise<CardToken> {
  const token: CardToken = {
    ...newTokenTimes(tx),
    id: tx.newId('token'),
    type,
    card: { ...unknownCard, brand: type },
    debit: null,
    accountHolderName,
    fingerprint: null,
    providerAccountId: null,
  }
  await store.insertToken(tx, token, null)
  return token
}

function refuseOtherMembers(input: CreateToken): void {
  const other = tokenTypes.find((name) => name !== input.type && input[name] !== undefined)
  if (other !== undefined) refuseMember(`/${other}`, 'not_together', 'cannot be combined with this type')
}

function refuseMissingMember(type: CreateToken['type']): never {
  return refuseMember(`/${type}`, 'required', 'is required for this type')
}

/**
 * Stores the card in the vault before the token is committed. A crash in between leaves a card without a
 * token, which the vault deletes later. A token without a card could not be repaired.
 */
async function createCardToken(
  deps: Deps,
  tx: Tx,
  input: CardInput,
  facts: CardFacts | null,
): Promise<CardToken> {
  await requireEnabledVault(deps, tx)
  const card = toRawCard(input)
  requireCard(tx, card)
  const displayCard = toDisplayCard(card)
  const id = tx.newId('token')
  const fingerprint = await storeCard(deps, tx, id, card)
  const token: CardToken = {
    ...newTokenTimes(tx),
    id,
    type: 'card',
    card: { ...displayCard, ...(facts ?? (tx.caller.mode === 'test' ? testIssuer : null)) },
    debit: null,
    accountHolderName: null,
    fingerprint,
    providerAccountId: null,
  }
  await store.insertToken(tx, token, null)
  return token
}

function requireCard(tx: Tx, card: RawCard): void {
  const errors = faultsOfCard(card, tx.now)
  if (errors.length > 0) refuse('invalid_request', { detail: 'The card details are not valid.', errors })
  if (tx.caller.mode === 'live' || isTestCard(card.number)) return
  refuse('test_card_required')
}

async function createProviderToken(
  deps: Deps,
  tx: Tx,
  input: NonNullable<CreateToken['provider_token']>,
): Promise<CardToken> {
  // This is the only member in which a client could send a card number by mistake.
  if (looksLikeCardNumber(input.token)) {
    refuseMember('/provider_token/token', 'bad_format', 'must be a provider token, not a card number')
  }
  const account = await findAccount(tx, input.provider_account_id)
  if (account === null || account.status === 'archived') return refuse('reference_not_found', noAccount)
  const token: CardToken = {
    ...newTokenTimes(tx),
    id: tx.newId('token'),
    type: 'provider_token',
    card: { ...unknownCard, ...input.card },
    debit: null,
    accountHolderName: null,
    fingerprint: null,
    providerAccountId: account.id,
  }
  const location = {
    workspaceId: tx.caller.workspaceId,
    table: 'card_tokens',
    column: 'provider_token',
    rowId: token.id,
  }
  await store.insertToken(tx, token, await deps.sealedBox.seal(tx.db, location, input.token))
  return token
}

/** Fields of a provider may report some of the details, or none. */
const unknownCard: DisplayCard = {
  brand: 'unknown',
  last4: '',
  exp_month: 0,
  exp_year: 0,
  funding: null,
  country: null,
  issuer: null,
  bin: null,
}

const noAccount = {
  errors: [
    {
      pointer: '/provider_token/provider_account_id',
      code: 'not_found',
      detail: 'is not the id of a provider account of this workspace',
    },
  ],
} as const
