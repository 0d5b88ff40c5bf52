/**
 * The navigation as data. A section lists pages in reading order, by the end of their path without `.md`. Unlisted pages
 * of its folders follow, sorted by title, so a new page only needs a line here if its position matters. A group is a
 * folder with many pages, which are shown while one of them is open.
 */

export type Group = {
  /** The folder, relative to the root of the repository. Its README is the index page of the group. */
  readonly folder: string
  /** The title of the group if there is no README. */
  readonly title: string
  /** Its pages in reading order. Without it they are sorted by title. */
  readonly parts?: readonly Part[]
  /** Whether the search finds its pages only by title and introduction. */
  readonly introductionOnly?: true
}

/** Pages of a group with a heading, by file name without `.md`. */
export type Part = { readonly title: string; readonly pages: readonly string[] }

export type Section = {
  readonly title: string
  /** The search weight of its passages. Guides have more weight than the reference. */
  readonly weight: number
  readonly pages: readonly (string | Group)[]
  /** Folders whose unlisted pages go where `pages` has `*`, or last. Without subfolders. */
  readonly folders: readonly string[]
}

/** The areas of the API in the order of the OpenAPI document, with a page per resource. */
export const apiAreas: readonly Part[] = [
  {
    title: 'Access',
    pages: ['workspace', 'people', 'invitations', 'me', 'api-tokens', 'audit-entries', 'requests'],
  },
  {
    title: 'Payments',
    pages: [
      'customers',
      'payment-methods',
      'tokens',
      'vault',
      'payments',
      'refunds',
      'disputes',
      'files',
      'payment-links',
      'checkout-sessions',
      'public-checkout-sessions',
      'mails',
      'mail-settings',
    ],
  },
  { title: 'Routing', pages: ['providers', 'provider-accounts', 'payment-routes', 'route-simulations'] },
  {
    title: 'Billing',
    pages: [
      'products',
      'prices',
      'coupons',
      'promotion-codes',
      'meters',
      'meter-events',
      'usage-alerts',
      'subscriptions',
      'invoices',
      'credit-notes',
      'seller',
      'tax-provider',
      'tax-rates',
      'tax-rules',
      'dunning-campaigns',
      'dunning-policies',
      'portal-sessions',
      'portal-configuration',
      'cancellation-requests',
      'test-clocks',
    ],
  },
  {
    title: 'Webhooks',
    pages: ['events', 'event-types', 'webhook-endpoints', 'deliveries', 'webhook-recoveries'],
  },
  {
    title: 'Finance',
    pages: [
      'balances',
      'ledger-postings',
      'settlement-imports',
      'settlement-lines',
      'reconciliation',
      'payouts',
      'exports',
      'journal-settings',
      'export-destinations',
      'reports',
    ],
  },
  { title: 'Workspace', pages: ['search', 'attention', 'system'] },
]

export const sections: readonly Section[] = [
  {
    title: 'Start',
    weight: 1,
    pages: [
      'guides/quickstart',
      'concepts/README',
      'concepts/payments',
      'concepts/routes',
      'concepts/subscriptions',
      'concepts/events',
      'concepts/promises',
      '*',
      'concepts/glossary',
      'guides/tokens-and-roles',
      'guides/test-cards-and-faults',
      'guides/go-live',
    ],
    folders: ['docs/concepts'],
  },
  {
    title: 'Build',
    weight: 1,
    pages: [
      'guides/take-a-payment',
      'guides/payment-links',
      'guides/embed-the-payment-element',
      'guides/bank-debits',
      'guides/redirect-methods',
      'guides/mails',
      'guides/choose-card-data',
      'guides/card-data',
      'guides/products-and-prices',
      'guides/coupons',
      'guides/usage',
      'guides/sell-a-subscription',
      'guides/sell-a-subscription-with-a-link',
      'guides/pause-resume-cancel',
      'guides/customer-portal',
      'guides/cancellation-page',
      'guides/when-a-renewal-fails',
      'guides/invoices',
      'guides/one-off-invoices',
      'guides/credit-notes',
      'guides/e-invoices',
      'guides/tax',
      'guides/test-a-year-of-billing',
      'guides/receive-webhooks',
      'guides/events',
      'guides/objects',
      'guides/idempotency',
      'guides/errors',
      'guides/lists',
      'guides/versions',
      'guides/sdk',
      'guides/cli',
      'examples/README',
      'examples/shop/README',
      'examples/custom-provider/README',
      'guides/recipes',
      'guides/recipes-billing',
      'guides/recipes-operations',
    ],
    // Guides that no section lists go here.
    folders: ['docs/guides'],
  },
  {
    title: 'Route',
    weight: 1,
    pages: [
      'guides/route-payments',
      'guides/provider-health',
      'guides/unknown-outcomes',
      'guides/respond-to-disputes',
      'guides/connect-providers',
      'guides/try-providers',
      { folder: 'docs/providers', title: 'Providers', introductionOnly: true },
      'guides/bring-your-own-provider',
    ],
    folders: [],
  },
  {
    title: 'Run',
    weight: 0.9,
    pages: [
      'guides/dashboard',
      'guides/people-and-sign-in',
      'guides/watch-your-figures',
      'guides/reconcile-payouts',
      'guides/close-the-month',
      'guides/export-to-storage',
      'operations/install',
      'operations/configure',
      'operations/card-bins',
      'operations/kubernetes',
      'operations/observe',
      'operations/alerts',
      'operations/backup-and-restore',
      'operations/high-availability',
      'operations/disaster-recovery',
      'operations/upgrade',
      'operations/scale',
      'operations/capacity',
      'operations/security',
      '*',
      'guides/performance',
      { folder: 'docs/operations/runbooks', title: 'Runbooks' },
    ],
    folders: ['docs/operations'],
  },
  {
    title: 'Reference',
    weight: 0.3,
    pages: [
      { folder: 'docs/reference/api', title: 'API', parts: apiAreas },
      { folder: 'docs/reference/errors', title: 'Errors' },
      { folder: 'docs/reference/events', title: 'Events' },
    ],
    folders: ['docs/reference'],
  },
  {
    title: 'Contribute',
    weight: 0.2,
    pages: [
      'README',
      'CONTRIBUTING',
      'ARCHITECTURE',
      'STYLE',
      'SECURITY',
      'CHANGELOG',
      '*',
      { folder: 'docs/decisions', title: 'Decisions', introductionOnly: true },
    ],
    folders: ['docs/contributing'],
  },
]
