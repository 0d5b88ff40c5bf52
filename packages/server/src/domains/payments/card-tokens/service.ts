/**
 * Operations on a token and its card, for payments and payment methods. `service/create.ts` creates tokens.
 */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, modeOf, uuidOf } from '../../../kernel/id.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { isDebit, isRedirect, type MethodType } from '../../../providers/contract.ts'
import type { VaultToken } from '../../../vaults/contract.ts'
import { type OpenVault, openVault } from '../../access/organizations/service/card-data.ts'
import { type DisplayCard, usedCardRetentionSeconds } from './card-token.ts'
import { locationOf as bankAccountLocation } from './service/create-debit-token.ts'
import { locationOf } from './service/create-vault-token.ts'
import * as store from './store.ts'

export type { CardEntry, PaymentEntry } from './card-entry.ts'
export { comparableRequest } from './card-input.ts'
export {
  type FieldsChoice,
  fieldsChoiceOf,
  findCardEntry,
  findOtherMethods,
  requireCardEntryForPages,
} from './service/card-entry.ts'
export { deleteCvc, revealCard } from './service/vault.ts'
export { isInExternalVault } from './vault-token.ts'

export type UsedToken = {
  readonly id: Id<'token'>
  readonly card: DisplayCard
  readonly methodType: MethodType
  /** Set for a bank account. `revealBankAccount` returns its number. */
  readonly debit: DebitDetails | null
  /** The name of the payer, for a redirect method. Null: unknown. */
  readonly accountHolderName: string | null
  readonly fingerprint: string | null
  /** The card in the vault of Switchyard or of another service; null if the card is stored at a provider. */
  readonly vaultCardId: string | null
  /** The only account where the token can be used. `revealProviderToken` returns its value. */
  readonly providerToken: { readonly providerAccountId: Id<'provider_account'> } | null
}

/**
 * Marks the token as used in this transaction: no second payment can use it, whatever the result of the
 * first. The card is kept for eight days, which is longer than a payment can be unresolved; see `retainCard`
 * and `destroyCard`.
 */
export async function useToken(tx: Tx, text: string): Promise<UsedToken> {
  const token = await store.markUsed(tx, text, addSeconds(tx.now, usedCardRetentionSeconds))
  if (token === null) return refuse('reference_not_found', notUsable)
  const { id, type, card, debit, accountHolderName, fingerprint, providerAccountId } = token
  const hasCardNumber = type === 'card' || type === 'vault_token'
  return {
    id,
    card,
    methodType: isDebit(type) || isRedirect(type) ? type : 'card',
    debit,
    accountHolderName,
    fingerprint,
    vaultCardId: hasCardNumber ? uuidOf(id) : null,
    providerToken: providerAccountId === null ? null : { providerAccountId },
  }
}

/** Unknown, used and expired tokens cause the same error, so that guessing tokens reveals nothing. */
const notUsable = {
  errors: [
    {
      pointer: '/token',
      code: 'not_found',
      detail: 'is not a usable token: it is unknown, was already used, or has expired',
    },
  ],
} as const

/** Keeps the card until `destroyCard` is called, because a payment method needs it. */
export async function retainCard(tx: Tx, vaultCardId: string): Promise<void> {
  const isPresent = await retainCardIfPresent(tx, vaultCardId)
  assert(
    isPresent,
    'A card can be saved within eight days after its token was used. This card was already deleted.',
  )
}

/** Like `retainCard`, but returns false if the card was already deleted. */
export function retainCardIfPresent(tx: Tx, vaultCardId: string): Promise<boolean> {
  return store.updateDueAt(tx, vaultCardId, null)
}

/** Deletes the card shortly after the commit. Repeated calls have no effect. */
export async function destroyCard(tx: Tx, vaultCardId: string): Promise<void> {
  await store.updateDueAt(tx, vaultCardId, tx.now)
}

/** The provider token of the card, to send it to the provider. Null if it was deleted. */
export function revealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'token'>,
): Promise<string | null> {
  const location = { workspaceId, table: 'card_tokens', column: 'provider_token', rowId: id }
  return read(deps, systemCaller({ workspaceId, id }), async (view) => {
    const sealed = await store.findProviderToken(view, id)
    return sealed === null ? null : deps.sealedBox.open(view.db, location, sealed)
  })
}

type BankAccount = { readonly iban: string; readonly holderName: string; readonly email: string }

/** The bank account, to send it to the provider. Null if it was deleted. */
export function revealBankAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'token'>,
): Promise<BankAccount | null> {
  return read(deps, systemCaller({ workspaceId, id }), async (view) => {
    const sealed = await store.findBankAccount(view, id)
    if (sealed === null) return null
    return JSON.parse(await deps.sealedBox.open(view.db, bankAccountLocation(workspaceId, id), sealed))
  })
}

/** A card in the vault of another service, and the vault with its secrets. */
export type CardAtVault = OpenVault & { readonly token: VaultToken }

/** Null if the card was deleted, or the workspace no longer uses its vault. */
export async function findCardAtVault(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  vaultCardId: string,
): Promise<CardAtVault | null> {
  const id = idFromUuid('token', modeOf(workspaceId), vaultCardId)
  const [opened, found] = await Promise.all([
    openVault(deps, workspaceId),
    read(deps, systemCaller({ workspaceId, id }), async (view) => {
      const row = await store.findVaultToken(view, vaultCardId)
      if (row === null) return null
      const text = await deps.sealedBox.open(view.db, locationOf(workspaceId, id), row.sealed)
      return { vault: row.vault, token: JSON.parse(text) as VaultToken }
    }),
  ])
  if (opened === null || found === null || opened.vault.id !== found.vault) return null
  return { ...opened, token: found.token }
}
