/** The data of the documentation page of Mollie. */
import type { ConnectorPage } from '../connector-page.ts'
import { declineTables } from './declines.ts'

export const page: ConnectorPage = {
  sandboxTestedOn: null,
  sources: [
    { title: 'OpenAPI document of the Mollie API', date: '2026-06-29' },
    { title: 'docs.mollie.com, API idempotency', date: '2026-10' },
    { title: 'docs.mollie.com, Multicurrency', date: '2026-07-29' },
    { title: 'docs.mollie.com, Webhooks', date: '2026' },
    { title: 'docs.mollie.com, Mollie Components', date: '2026' },
    { title: 'docs.mollie.com, iDEAL', date: '2025-05-20' },
    { title: 'docs.mollie.com, Handling payment status', date: 'read in 2026-11' },
    {
      title: 'github.com/mollie/api-documentation, Handling errors with Mollie Components',
      date: 'read in 2026-11',
    },
  ],
  notSupported: [
    'Card numbers: only tokens of Mollie Components (`tkn_…`) and saved cards (`cst_…/mdt_…`) are accepted.',
    'Multiple captures: by default, Mollie releases the rest of an authorization after the first one.',
    'Manual capture of an off-session payment, which Mollie does not document.',
    'Looking up an operation whose Mollie id is unknown, and closing an operation.',
    'Payment methods other than cards, iDEAL, Bancontact and PayPal.',
    'Saving iDEAL, Bancontact or PayPal for later payments.',
    'Closing an open iDEAL, Bancontact or PayPal payment: a payer who goes back cannot pay in another way before it has ended at Mollie.',
  ],
  unverified: [
    'Card fields: tested with a stub of Mollie.js v1. Mollie documents no event that signals that the form is ready, so the page waits only for the script. Not verified: that the form needs only the sources that the content security policy allows.',
    'PayPal at Mollie is offered in EUR, GBP and USD only. Which further currencies Mollie supports was not verified.',
    'No response was recorded from Mollie.',
    'How long Mollie stores idempotency keys: one hour, according to the current page; an older version states 24 hours.',
    'The `method` of an open payment is null in some of Mollie’s examples and set in others. The connector accepts both.',
  ],
  declines: declineTables,
  exponents: {},
}
