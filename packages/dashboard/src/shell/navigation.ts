/** What there is, and where. A page that belongs to the test environment alone says so. */

export type Place = {
  readonly text: string
  readonly to: string
  /** Behind `g`: the key that leads there. */
  readonly key?: string
  readonly testOnly?: boolean
}
export type Area = { readonly title: string; readonly places: readonly Place[] }

export const home: Place = { text: 'Home', to: '', key: 'h' }

export const areas: readonly Area[] = [
  {
    title: 'Money',
    places: [
      { text: 'Payments', to: '/payments', key: 'p' },
      { text: 'Refunds', to: '/refunds' },
      { text: 'Customers', to: '/customers', key: 'c' },
      { text: 'Payment methods', to: '/payment-methods' },
      { text: 'Payment links', to: '/payment-links' },
    ],
  },
  {
    title: 'Recurring',
    places: [
      { text: 'Subscriptions', to: '/subscriptions', key: 's' },
      { text: 'Products', to: '/products' },
      { text: 'Invoices', to: '/invoices', key: 'i' },
      { text: 'Dunning', to: '/dunning' },
    ],
  },
  {
    title: 'Routing',
    places: [
      { text: 'Routes', to: '/payment-routes', key: 'r' },
      { text: 'Providers', to: '/provider-accounts' },
    ],
  },
  {
    title: 'Developers',
    places: [
      { text: 'Events', to: '/events', key: 'e' },
      { text: 'Webhooks', to: '/webhook-endpoints', key: 'w' },
      { text: 'API log', to: '/requests', key: 'l' },
      { text: 'API tokens', to: '/api-tokens' },
      { text: 'Test clocks', to: '/test-clocks', testOnly: true },
    ],
  },
  {
    title: 'Settings',
    places: [
      { text: 'People', to: '/people' },
      { text: 'Audit log', to: '/audit-entries' },
      { text: 'System', to: '/system' },
      { text: 'My account', to: '/account' },
    ],
  },
]

export const places: readonly Place[] = [home, ...areas.flatMap((area) => area.places)]

/** Where the page of an object is. Null: it has none of its own. */
export function pageOf(id: string): string | null {
  const noun = id.replace(/_(live|test)_[^_]*$/, '')
  const folder = folders[noun]
  return folder === undefined ? null : `/${folder}/${id}`
}

const folders: { readonly [noun: string]: string } = {
  payment: 'payments',
  refund: 'refunds',
  customer: 'customers',
  payment_method: 'payment-methods',
  payment_link: 'payment-links',
  subscription: 'subscriptions',
  product: 'products',
  invoice: 'invoices',
  dunning_campaign: 'dunning',
  payment_route: 'payment-routes',
  provider_account: 'provider-accounts',
  event: 'events',
  webhook_endpoint: 'webhook-endpoints',
  delivery: 'deliveries',
  request: 'requests',
  test_clock: 'test-clocks',
}
