/** The data of the documentation page of PayPal. */
import type { ConnectorPage } from '../connector-page.ts'
import { declineTables } from './declines.ts'

export const page: ConnectorPage = {
  sandboxTestedOn: null,
  sources: [
    { title: 'OpenAPI documents of Orders v2 and Payments v2, version 2.13', date: 'read in 2026-11' },
    { title: 'npm package `@paypal/paypal-server-sdk` 2.5.0', date: 'not stated' },
    { title: 'developer.paypal.com, 3D Secure: Orders API', date: '2026-06-18' },
    { title: 'developer.paypal.com, order status definition', date: '2026' },
    { title: 'Public transcripts of card orders in the sandbox', date: '2024-12' },
    { title: 'Webhooks that PayPal signed', date: '2024-08' },
  ],
  notSupported: [
    'The PayPal wallet and other payment methods: only cards are charged.',
    'Verification of a card without an amount.',
    'A guarantee that the payer authenticates: 3-D Secure is requested, but its result is not checked separately.',
    'Multiple captures, and a refund that covers more than one capture.',
    'Looking up an operation whose PayPal id is unknown, and closing an operation.',
    'Saving cards at PayPal, unless the `vault` setting is `on`.',
    'The network transaction id of saved cards other than Visa and American Express: PayPal also requires its date.',
    'HUF and TWD, which have no decimal places at PayPal but two in ISO 4217.',
    'BRL, CNY, INR and MYR, which only accounts of one country can use.',
  ],
  unverified: [
    'No response was recorded with credentials of our own.',
    'PayPal may confirm a void without details. The outcome is then unknown until a lookup.',
  ],
  declines: declineTables,
  exponents: {},
}
