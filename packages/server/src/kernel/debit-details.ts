/** The details of a bank account that may be shown, and the mandate to debit it. */
import { type Static, Type } from 'typebox'
import { nullable, OneOf, Time } from './shapes.ts'

const Mandate = Type.Object(
  {
    reference: Type.String({
      description: 'Mandate reference. It is unique within the workspace.',
      examples: ['SY01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    status: OneOf(['pending', 'active', 'revoked'], {
      description:
        '`pending`: no provider has accepted it yet. `active`: the account can be debited. `revoked`: the payment method was detached.',
      examples: ['active'],
      loggable: true,
    }),
    accepted_at: { ...Time, description: 'Time at which the payer accepted the mandate.' },
    text_version: Type.String({
      description: 'Version of the text that the payer accepted.',
      examples: ['2026-11'],
    }),
  },
  { description: 'Permission of the payer to debit the account.' },
)

/** With the member names of the API and the database. */
export const DebitDetails = Type.Object(
  {
    country: Type.String({
      description: 'Country of the bank account, as a two-letter ISO 3166-1 code.',
      examples: ['DE'],
      loggable: true,
    }),
    bank_code: nullable(
      Type.String({ description: 'National code of the bank. Null if unknown.', examples: ['37040044'] }),
    ),
    last4: Type.String({ description: 'Last four digits of the account number.', examples: ['3000'] }),
    account_holder_name: Type.String({ description: 'Account holder.', examples: ['Ada Lovelace'] }),
    mandate: Mandate,
  },
  { description: 'Bank account details that can be displayed, and the mandate.' },
)
export type DebitDetails = Static<typeof DebitDetails>

export function withMandateStatus(
  debit: DebitDetails,
  status: DebitDetails['mandate']['status'],
): DebitDetails {
  return { ...debit, mandate: { ...debit.mandate, status } }
}
