/** The navigation: sections, pages and their paths. */

export type NavigationPage = {
  readonly text: string
  readonly to: string
  /** The key that opens the page after `g`. */
  readonly key?: string
  readonly testOnly?: boolean
}
/** A section of the navigation: the pages of one area of the API. */
export type Area = { readonly title: string; readonly pages: readonly NavigationPage[] }

export const home: NavigationPage = { text: 'Home', to: '', key: 'h' }

/** In the order of the areas of the API. */
export const areas: readonly Area[] = [
  {
    title: 'Access',
    pages: [
      { text: 'People', to: '/people' },
      { text: 'API tokens', to: '/api-tokens' },
      { text: 'Audit log', to: '/audit-entries' },
      { text: 'API log', to: '/requests', key: 'l' },
      { text: 'My account', to: '/account' },
    ],
  },
  {
    title: 'Payments',
    pages: [
      { text: 'Payments', to: '/payments', key: 'p' },
      { text: 'Refunds', to: '/refunds' },
      { text: 'Disputes', to: '/disputes' },
      { text: 'Customers', to: '/customers', key: 'c' },
      { text: 'Payment methods', to: '/payment-methods' },
      { text: 'Payment links', to: '/payment-links' },
      { text: 'E-mails', to: '/mails' },
    ],
  },
  {
    title: 'Routing',
    pages: [
      { text: 'Providers', to: '/provider-accounts' },
      { text: 'Routes', to: '/payment-routes', key: 'r' },
    ],
  },
  {
    title: 'Billing',
    pages: [
      { text: 'Products', to: '/products' },
      { text: 'Coupons', to: '/coupons' },
      { text: 'Meters', to: '/meters' },
      { text: 'Subscriptions', to: '/subscriptions', key: 's' },
      { text: 'Invoices', to: '/invoices', key: 'i' },
      { text: 'Seller', to: '/seller' },
      { text: 'Dunning', to: '/dunning' },
      { text: 'Cancellations', to: '/cancellation-requests' },
      { text: 'Test clocks', to: '/test-clocks', testOnly: true },
    ],
  },
  {
    title: 'Webhooks',
    pages: [
      { text: 'Events', to: '/events', key: 'e' },
      { text: 'Webhooks', to: '/webhook-endpoints', key: 'w' },
    ],
  },
  {
    title: 'Finance',
    pages: [
      { text: 'Balances', to: '/balances' },
      { text: 'Reconciliation', to: '/reconciliation' },
      { text: 'Tax', to: '/tax' },
      { text: 'Exports', to: '/exports' },
    ],
  },
  {
    title: 'Workspace',
    pages: [
      { text: 'Card data', to: '/card-data' },
      { text: 'Payment element', to: '/payment-element' },
      { text: 'Customer portal', to: '/customer-portal' },
      { text: 'System', to: '/system' },
    ],
  },
]

export const navigationPages: readonly NavigationPage[] = [home, ...areas.flatMap((area) => area.pages)]

/** The path of the page of an object; null if it has no page. */
export function objectPath(id: string): string | null {
  const noun = id.replace(/_(live|test)_[^_]*$/, '')
  const folder = folders[noun]
  return folder === undefined ? null : `/${folder}/${id}`
}

const folders: { readonly [noun: string]: string } = {
  payment: 'payments',
  refund: 'refunds',
  dispute: 'disputes',
  customer: 'customers',
  payment_method: 'payment-methods',
  payment_link: 'payment-links',
  mail: 'mails',
  subscription: 'subscriptions',
  product: 'products',
  meter: 'meters',
  invoice: 'invoices',
  dunning_campaign: 'dunning',
  cancellation_request: 'cancellation-requests',
  payment_route: 'payment-routes',
  provider_account: 'provider-accounts',
  event: 'events',
  webhook_endpoint: 'webhook-endpoints',
  delivery: 'deliveries',
  request: 'requests',
  test_clock: 'test-clocks',
}
