/** The data of the documentation page of Stripe. */
import type { ConnectorPage } from '../connector-page.ts'
import { exponents } from './currencies.ts'
import { declineTables } from './declines.ts'

export const page: ConnectorPage = {
  sandboxTestedOn: null,
  sources: [
    { title: 'npm package `stripe` 23.1: types, error codes, webhook signature', date: '2026-10-29' },
    { title: 'docs.stripe.com/api/errors and js/confirmation_tokens', date: 'not stated' },
    { title: 'docs.stripe.com/error-low-level, public copy', date: '2026-07' },
    { title: 'docs.stripe.com/api/idempotent_requests', date: '2026-09' },
    { title: 'docs.stripe.com/payments/multicapture, public copies', date: '2026-05' },
    { title: 'docs.stripe.com/declines/codes, public copy', date: '2026-09' },
    {
      title: 'docs.stripe.com/payments/ideal and payments/bancontact/accept-a-payment',
      date: 'read in 2026-11',
    },
    { title: 'docs.stripe.com/currencies, public copies', date: 'not stated' },
  ],
  notSupported: [
    'Card numbers, unless Stripe has enabled them for the account. Confirmation tokens (`ctoken_…`), PaymentMethods (`pm_…`) and saved cards (`cus_…/pm_…`) are always accepted.',
    'Payment methods other than cards, SEPA debits, iDEAL and Bancontact.',
    'ACH debits: Stripe verifies an account number with deposits that take days, or in its own window. Bacs debits: whether Stripe accepts a mandate that was collected on another page is not verified.',
    'Saving the bank account of an iDEAL or Bancontact payment as a SEPA mandate.',
    'Multiple captures, unless the `request_multicapture` setting is `if_available`.',
    'Closing a capture, void or refund: they are looked up. Only authorizations and verifications can be closed.',
    'BHD, JOD, KWD, OMR and TND, whose amounts must end in 0 at Stripe.',
    'MGA and UGX, whose decimal places at Stripe differ from ISO 4217 or are not certain.',
  ],
  unverified: [
    'No response was recorded from Stripe.',
    'iDEAL and Bancontact must be enabled in the Stripe dashboard. If they are not, Stripe rejects the payment without processing it, and the next account is tried.',
    'The list of currencies is from copies of the documentation. The country of an account may exclude some.',
    'Whether a dispute appeal follows a won or a lost dispute. An appeal after a lost dispute is flagged for review.',
    'How Stripe treats `request_multicapture` on accounts without multicapture is not documented.',
    'Card fields: tested with a stub of Stripe.js. Not verified: that Stripe accepts `use_stripe_sdk=false` with a confirmation token and then redirects the payer (otherwise the outcome is unknown until a lookup), that `payment_method_preview` is present in the browser, and that Stripe.js needs only the sources that the content security policy allows.',
    'The release of the rest of an authorization by a final capture of 0 is from copies of the documentation.',
  ],
  declines: declineTables,
  exponents,
}
