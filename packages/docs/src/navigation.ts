/**
 * What stands where, as data. A section names pages in the order in which they are read, by the end of their path
 * without `.md`; pages of its folders that nobody names follow by title. So a new page needs a line here only if
 * its place matters. A group is a folder of many pages, which show when one of them is open.
 */

export type Group = {
  /** The folder, from the root of the repository. Its README is the page that the group is known by. */
  readonly folder: string
  /** What the group is called where there is no README. */
  readonly title: string
}

export type Section = {
  readonly title: string
  /** What its passages weigh in the search, where words alone decide: most readers want a guide. */
  readonly weight: number
  readonly pages: readonly (string | Group)[]
  /** Folders whose other pages stand where `pages` says `*`, or last. Folders inside them are not meant. */
  readonly folders: readonly string[]
}

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
      'guides/card-data',
      'guides/products-and-prices',
      'guides/sell-a-subscription',
      'guides/pause-resume-cancel',
      'guides/when-a-renewal-fails',
      'guides/invoices',
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
    // A guide that no section names is for those who build.
    folders: ['docs/guides'],
  },
  {
    title: 'Route',
    weight: 1,
    pages: [
      'guides/route-payments',
      'guides/provider-health',
      'guides/unknown-outcomes',
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
      'operations/install',
      'operations/configure',
      'operations/kubernetes',
      'operations/observe',
      'operations/alerts',
      'operations/backup-and-restore',
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
      { folder: 'docs/reference/api', title: 'API' },
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
      { folder: 'docs/decisions', title: 'Decisions' },
    ],
    folders: [],
  },
]
