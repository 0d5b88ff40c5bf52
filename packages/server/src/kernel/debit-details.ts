/** The details of a bank account that may be shown, and the mandate to debit it, with the member names of the API. */
export type DebitDetails = {
  readonly country: string
  readonly bank_code: string | null
  readonly last4: string
  readonly account_holder_name: string
  readonly mandate: {
    readonly reference: string
    readonly status: 'pending' | 'active' | 'revoked'
    readonly accepted_at: string
    readonly text_version: string
  }
}

export function withMandateStatus(
  debit: DebitDetails,
  status: DebitDetails['mandate']['status'],
): DebitDetails {
  return { ...debit, mandate: { ...debit.mandate, status } }
}

/** Returns the bank account in the member that is named after its type. The other members are null. */
export function presentDebit(type: string, debit: DebitDetails | null) {
  const ofType = (name: string) => (type === name ? debit : null)
  return {
    sepa_debit: ofType('sepa_debit'),
    ach_debit: ofType('ach_debit'),
    bacs_debit: ofType('bacs_debit'),
  }
}
