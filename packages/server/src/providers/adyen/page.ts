/** The data of the documentation page of Adyen. */
import type { ConnectorPage } from '../connector-page.ts'
import { exponents } from './currencies.ts'
import { declineTables } from './declines.ts'

const read = 'read in 2026-11'

export const page: ConnectorPage = {
  sandboxTestedOn: null,
  sources: [
    { title: 'OpenAPI document of the Checkout API, version 72', date: read },
    { title: 'OpenAPI document of the webhooks, version 1', date: read },
    { title: 'docs.adyen.com/development-resources/api-idempotency', date: read },
    { title: 'docs.adyen.com/development-resources/currency-codes', date: read },
    { title: 'docs.adyen.com/development-resources/raw-acquirer-responses', date: read },
    { title: 'docs.adyen.com/development-resources/refusal-reasons', date: read },
    { title: 'docs.adyen.com/development-resources/webhooks/verify-hmac-signatures', date: read },
    { title: 'docs.adyen.com/online-payments/api-only/handling-redirects', date: read },
    { title: 'docs.adyen.com/online-payments/capture/failure-reasons', date: read },
    { title: 'docs.adyen.com/risk-management/disputes-api/dispute-notifications', date: read },
  ],
  notSupported: [
    'Lookup and close: Adyen has no query by reference, and cancels a payment only asynchronously.',
    'Multiple captures: Adyen releases the rest after the first one, unless its support has enabled more.',
    'Native 3-D Secure 2, which needs Adyen’s component in the payment page. The payer is redirected instead.',
    'Payment methods other than cards, and partial authorizations.',
    'Fees of disputes, which dispute webhooks do not contain.',
    'CVE and IDR, which have no minor unit at Adyen, so that most amounts cannot be represented.',
  ],
  unverified: [
    'Card fields: tested with a stub of Adyen Web 6.33.0. Not verified: that `onConfigSuccess`, `onBrand` and `onFieldValid` report what the connector reads, that the component works without the response of `/paymentMethods`, and that it needs only the sources that the content security policy allows. Inline styles are not allowed.',
    'No response was recorded from Adyen.',
    'Which side accepted or declined a pre-arbitration case. Such a webhook is used only if it contains a dispute status.',
    'Adyen states no time limit for a payer who was redirected. The limit of Switchyard applies.',
    'An address without a second line is sent with an empty house number, as Adyen’s own plugins send it.',
  ],
  declines: declineTables,
  exponents,
}
