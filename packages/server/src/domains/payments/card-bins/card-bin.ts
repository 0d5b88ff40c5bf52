/** Issuer data by the first digits of a card number. */
export const fundings = ['credit', 'debit', 'prepaid'] as const
export type Funding = (typeof fundings)[number]

/** A member is null if it is unknown. */
export type CardFacts = {
  readonly country: string | null
  readonly issuer: string | null
  readonly funding: Funding | null
}

export type CardBin = CardFacts & { readonly prefix: string }

/** The allowed lengths of a prefix, longest first. */
export const prefixLengths = [8, 7, 6] as const
