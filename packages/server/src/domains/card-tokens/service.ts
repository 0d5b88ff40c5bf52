/** What payments and payment methods do with a token and its card. Making one is in `service/create.ts`. */
import type { Deps } from '../../deps.ts'
import { assert } from '../../kernel/assert.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { read, type Tx } from '../../platform/db/unit-of-work.ts'
import { type ShownCard, usedCardSeconds } from './card-token.ts'
import * as store from './store.ts'

export { forgetSecurityCode, revealCard } from './service/vault.ts'
export { comparable } from './typed-card.ts'

export type UsedToken = {
  readonly id: Id<'token'>
  readonly card: ShownCard
  readonly fingerprint: string | null
  /** Where the number lies; null if a provider holds it. */
  readonly vaultCardId: string | null
  /** At which account alone it can be used; `revealProviderToken` gives its text. */
  readonly providerToken: { readonly providerAccountId: Id<'provider_account'> } | null
}

/**
 * Uses up the token in this unit: no second payment gets it, whatever becomes of the first. Its card stays for
 * eight days from now, which is longer than a payment can be undecided; see `keepCard` and `destroyCard`.
 */
export async function useToken(tx: Tx, text: string): Promise<UsedToken> {
  const token = await store.markUsed(tx, text, addSeconds(tx.now, usedCardSeconds))
  if (token === null) return refuse('reference_not_found', notUsable)
  const { id, card, fingerprint, providerAccountId } = token
  return {
    id,
    card,
    fingerprint,
    vaultCardId: providerAccountId === null ? uuidOf(id) : null,
    providerToken: providerAccountId === null ? null : { providerAccountId },
  }
}

/** One sentence for all three: whoever guesses tokens learns nothing. */
const notUsable = {
  errors: [
    {
      pointer: '/token',
      code: 'not_found',
      detail: 'is not a token that can be used: unknown, used or over',
    },
  ],
} as const

/** The card stays until somebody destroys it: a payment method needs it. */
export async function keepCard(tx: Tx, vaultCardId: string): Promise<void> {
  const isThere = await keepCardIfThere(tx, vaultCardId)
  assert(isThere, 'A card can be kept for eight days after its token was used. This one is gone.')
}

/** The same where it is no fault that it is gone: false then. */
export function keepCardIfThere(tx: Tx, vaultCardId: string): Promise<boolean> {
  return store.updateDue(tx, vaultCardId, null)
}

/** Nobody needs it any more. It goes a moment after this unit is committed; one that is gone stays so. */
export async function destroyCard(tx: Tx, vaultCardId: string): Promise<void> {
  await store.updateDue(tx, vaultCardId, tx.now)
}

/** What the provider calls the card, for whoever sends it there. Null if it is gone. */
export function revealProviderToken(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'token'>,
): Promise<string | null> {
  const place = { workspaceId, table: 'card_tokens', column: 'provider_token', rowId: id }
  return read(deps, systemCaller({ workspaceId, id }), async (view) => {
    const sealed = await store.findProviderToken(view, id)
    return sealed === null ? null : deps.sealedBox.open(view.db, place, sealed)
  })
}
