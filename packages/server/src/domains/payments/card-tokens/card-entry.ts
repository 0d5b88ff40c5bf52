/** How a payer enters a card on the hosted page. Member names as in the API. */
import { fieldsComponents, type MethodType } from '../../../providers/contract.ts'
import { vaultNames } from '../../../vaults/vault-names.ts'

/** `card_form`: the form of the page itself, which sends the card number to Switchyard. */
export const entryComponents = ['card_form', ...fieldsComponents, ...vaultNames] as const
export type EntryComponent = (typeof entryComponents)[number]

export type CardEntry = {
  readonly component: EntryComponent
  /** The provider or vault; null for the form of the page. */
  readonly provider: string | null
  /** The account that the card can be used with; null if several can. */
  readonly provider_account_id: string | null
  /** Public settings of the component. */
  readonly config: Readonly<Record<string, string>>
}

export type OtherMethod = Exclude<MethodType, 'card'>

/** What a page shows: how the payer enters a card, and the other methods. */
export type PaymentEntry = {
  readonly cardEntry: CardEntry | null
  readonly otherMethods: readonly OtherMethod[]
}
