/**
 * How payers enter a card on the hosted page: in its own form, in fields of a provider, or in fields of the card vault
 * of the workspace.
 */
import type { Deps } from '../../../../deps.ts'
import type { CheckoutMode } from '../../../../kernel/cart.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { findVaultSettings } from '../../../access/organizations/service/card-data.ts'
import {
  chooseFields,
  chooseMethods,
  type ExpectedPayment,
  type FieldsChoice,
} from '../../../routing/payment-routes/service/choose-fields.ts'
import { listFieldsAccounts } from '../../../routing/payment-routes/service/decide.ts'
import type { CardEntry, OtherMethod } from '../card-entry.ts'
import { currentVault } from './confirmation.ts'

export type { FieldsChoice }

const ownForm: CardEntry = { component: 'card_form', provider: null, provider_account_id: null, config: {} }

/** Null if the workspace cannot take cards on a page. */
export async function findCardEntry(
  deps: Deps,
  view: View & { readonly now: Date },
  payment: ExpectedPayment,
  choice: FieldsChoice,
): Promise<CardEntry | null> {
  const { status, cardDataMode } = await currentVault(deps, view)
  switch (cardDataMode) {
    case 'own_vault':
      return status === 'disabled' ? null : ownForm
    case 'external_vault':
      return findVaultFields(view)
    case 'provider_fields': {
      const chosen = await chooseFields(deps, view, payment, choice)
      if (chosen === null) return null
      const { component, provider, providerAccountId, config } = chosen
      return { component, provider, provider_account_id: providerAccountId, config }
    }
  }
}

/** Other methods are offered for one-time payments only, because a page can save nothing but cards. */
export function findOtherMethods(
  deps: Deps,
  view: View & { readonly now: Date },
  mode: CheckoutMode,
  payment: ExpectedPayment,
): Promise<readonly OtherMethod[]> {
  return mode === 'payment' ? chooseMethods(deps, view, payment) : Promise.resolve([])
}

async function findVaultFields(view: View): Promise<CardEntry | null> {
  const found = await findVaultSettings(view)
  const config = found?.vault.publicConfig(found.config) ?? null
  if (found === null || config === null) return null
  return { component: found.vault.id, provider: found.vault.id, provider_account_id: null, config }
}

/** Must be called before a hosted page is offered: in production it must be able to take a card. */
export async function requireCardEntryForPages(deps: Deps, view: View): Promise<void> {
  if (view.caller.mode === 'test') return
  const { status, cardDataMode } = await currentVault(deps, view)
  if (cardDataMode === 'own_vault') {
    if (status === 'disabled') refuse('raw_cards_disabled', { detail: pagesNeedVault })
    return
  }
  const canEnter =
    cardDataMode === 'provider_fields'
      ? (await listFieldsAccounts(deps, view)).length > 0
      : (await findVaultFields(view)) !== null
  if (!canEnter) refuse('raw_cards_disabled', { detail: pagesNeedFields })
}

/** Payers can only send tokens of the fields that a page shows: other tokens would avoid the limits against card testing. */
export async function requireCardFieldsAt(deps: Deps, view: View, accountId: string): Promise<void> {
  const { cardDataMode } = await currentVault(deps, view)
  const accounts = cardDataMode === 'provider_fields' ? await listFieldsAccounts(deps, view) : []
  if (!accounts.some(({ providerAccountId }) => providerAccountId === accountId))
    refuseMember('/provider_token/provider_account_id', 'not_in_list', 'must be the account of card_entry')
}

const pagesNeedVault =
  'Payment links and checkout sessions need the vault in production, because their page collects card numbers. This workspace has no vault: GET /vault lists the missing steps.'
const pagesNeedFields =
  'The page of payment links and checkout sessions cannot take a card in production: card_data.mode of GET /workspace selects fields of providers or of a vault, and none is set up. Add the public key to the settings of a provider account (publishable_key of Stripe, client_key of Adyen, profile_id of Mollie) or to the card vault, or select own_vault and follow GET /vault.'

/** A page tries at most this many further accounts. */
const maxSkipped = 2

/**
 * Reads the accounts to skip and to prefer from the query string of a page. They only select among eligible
 * accounts, so unknown ids are ignored.
 */
export function fieldsChoiceOf({ skip = '', account }: Readonly<Record<string, string>>): FieldsChoice {
  return { skipped: skip.split(',').filter(Boolean).slice(0, maxSkipped), preferred: account ?? null }
}
