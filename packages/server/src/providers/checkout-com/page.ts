/** The data of the documentation page of Checkout.com. */
import type { ConnectorPage } from '../connector-page.ts'
import { exponents } from './currencies.ts'
import { declineTables } from './declines.ts'

export const page: ConnectorPage = {
  sandboxTestedOn: null,
  sources: [
    { title: 'github.com/checkout/checkout-api-reference, OpenAPI document', date: 'about 2022' },
    { title: 'npm package `checkout-sdk-node` 5.2.1', date: 'not stated' },
    { title: 'Documentation: API rate limits', date: '2025-06-18' },
    { title: 'Documentation: API response codes', date: '2025-12-03' },
    { title: 'Documentation: Card verification', date: '2023-05-31' },
    { title: 'Documentation: Get a list of payments', date: '2022-09-14' },
    { title: 'Documentation: Get payment details', date: '2024-03-27' },
    { title: 'Documentation: Idempotency', date: '2026-01-07' },
    { title: 'Documentation: Manage SCA retries', date: '2026-01-07' },
    { title: 'Documentation: Payment refunded', date: '2023-07-05' },
    { title: 'Documentation: Receive webhooks', date: '2025' },
    { title: 'Documentation: Recommendation codes', date: '2026-01-07' },
    { title: 'Documentation: Unscheduled payments with stored card details', date: '2026-01-07' },
  ],
  notSupported: [
    'Replay: Checkout.com processes a repeated request again if the first response was an error.',
    'Closing an operation. If it is unknown whether a capture, void or refund was accepted, it is resolved by a webhook or in review, never by a lookup that finds nothing.',
    'The reason for a decline whose response was lost, if webhooks are not set up: a lookup by id does not return it.',
    'Partial approvals, and payment methods other than cards.',
    'Statement descriptors, unless the `billing_descriptor_city` setting is used.',
    'Currencies with three decimal places, whose amounts must end in 0 at Checkout.com.',
  ],
  unverified: [
    'No response was recorded from Checkout.com.',
    'The delay of the search by reference is not documented.',
    'The OpenAPI document is from about 2022. Newer members are from the documentation and from the npm package.',
  ],
  declines: declineTables,
  exponents,
}
