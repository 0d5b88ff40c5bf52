/** The documentation on which the connector is based. */
import type { TaxProvider } from '../contract.ts'

export const page: TaxProvider['page'] = {
  sources: [
    {
      fact: 'A calculation takes positive amounts per line, a behavior, a tax code and a reference that is unique in the calculation.',
      url: 'https://hexdocs.pm/tiger_stripe/Stripe.Params.Tax.CalculationCreateParams.LineItems.html',
      date: '2026-11-18',
    },
    {
      fact: 'The reference of a transaction is unique across all transactions, including reversals.',
      url: 'https://hexdocs.pm/tiger_stripe/StripeElixir.Params.Tax.TransactionCreateFromCalculationParams.html',
      date: '2026-11-18',
    },
    {
      fact: 'A transaction is created from a calculation that has not expired. Calculations expire after 90 days.',
      url: 'https://hexdocs.pm/tiger_stripe/Stripe.Services.Tax.TransactionService.md',
      date: '2026-11-18',
    },
    {
      fact: 'The names and types of all members of requests, calculations, transactions, reversals and tax settings.',
      url: 'https://www.npmjs.com/package/stripe/v/23.1.0',
      date: '2026-11-18',
    },
    {
      fact: 'Stripe Tax can be used with payments of other providers. It computes tax only where the business is registered.',
      url: 'https://stripe.com/docs/tax/custom',
      date: '2026-11-18',
    },
  ],
  unverified: [
    'The error code for a reference that was used before. The idempotency key makes a repeated call return the first response for at least 24 hours; a rejection after that needs a look at the Stripe Dashboard.',
    'How many lines an expanded list contains. If there are more, the connector reads them with one more call.',
  ],
}
