// Checks which modules each module may import, including type imports. The permissions of a module depend on
// its folder or its file name. Only the syntax is parsed, so no build is needed.

import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, repositoryTexts, sourceFiles } from './support/repository.ts'

/** A domain may import the domains before it in this list, but not those after it. */
const domains = [
  'audit',
  'organizations',
  'sessions',
  'people',
  'invitations',
  'sign-in',
  'api-tokens',
  'request-log',
  'webhook-endpoints',
  'deliveries',
  'webhook-recoveries',
  'test-clocks',
  'customers',
  'mails',
  'ledger',
  'card-bins',
  'provider-accounts',
  'providers',
  'settled-costs',
  'payment-routes',
  'route-simulations',
  'card-budgets',
  'card-tokens',
  'payment-methods',
  'payments',
  'files',
  'disputes',
  'settlement',
  'provider-webhooks',
  'usage-alerts',
  'meters',
  'products',
  'coupons',
  'promotion-codes',
  'discounts',
  'dunning-policies',
  'seller',
  'tax-provider',
  'tax-rates',
  'tax-rules',
  'credit-note-documents',
  'invoices',
  'credit-notes',
  'subscriptions',
  'dunning-campaigns',
  'payment-links',
  'checkout-sessions',
  'hosted-invoices',
  'customer-portal',
  'cancellation-requests',
  // These domains only read data of the others.
  'search',
  'attention',
  'reports',
  'exports',
  'system',
]
/** No other domain imports these, and they import only `events.ts` of the others. */
const eventDomains = ['events']

/**
 * The imports that each file may have: the first row that matches its path applies. The path of a domain is
 * `domains/<area>/<domain>/`; the area does not matter. `:own` is the domain or provider of the importing
 * file, `:service` its services, `pure` any file or folder of a domain that has no row of its own, `*` any
 * name.
 */
// biome-ignore format: a table.
const layers = [
  ['kernel/',                  'kernel/'],
  ['platform/http/',           'kernel/ platform/'],
  ['platform/',                'kernel/ platform/(?!http/)'],
  ['providers/:own/fixtures/', 'kernel/ providers/(contract|conformance|provider-amounts) providers/:own/'],
  ['providers/:own/',          'kernel/ providers/(contract|connector-page|declines|dispute-reasons|read|http-call|provider-amounts) providers/:own/'],
  ['providers/',               'kernel/ platform/(outbound/|log|cache) providers/ vaults/'],
  ['vaults/:own/',             'kernel/ providers/(contract|read) vaults/(contract|unwrap|vault-names) vaults/:own/'],
  ['vaults/',                  'kernel/ providers/contract vaults/'],
  ['tax-providers/:own/fixtures/', 'kernel/ providers/contract tax-providers/(contract|conformance|fixtures) tax-providers/:own/'],
  ['tax-providers/:own/',      'kernel/ providers/(contract|read|http-call|provider-amounts) tax-providers/(contract|tax-provider-names) tax-providers/:own/'],
  ['tax-providers/',           'kernel/ platform/log providers/(contract|call-record|evidence) tax-providers/'],
  ['domains/*/:own/routes',    'kernel/ deps platform/http/ domains/*/:own/schema domains/*/:own/:service domains/*/:own/pure'],
  ['domains/*/:own/routes-one-off', 'kernel/ deps platform/http/ domains/*/:own/schema domains/*/:own/:service domains/*/:own/pure'],
  ['domains/*/:own/:service',  'kernel/ deps platform/(?!http/) providers/(contract|provider-names|connector-config|terms|declines|perform|send-through-vault|evidence|incoming) vaults/ tax-providers/ domains/*/:own/(?!(routes|work)\\.ts) domains/*/*/:service'],
  ['domains/*/:own/store',     'kernel/ platform/db/ providers/(contract|provider-names) tax-providers/tax-provider-names domains/*/:own/store/ domains/*/:own/pure'],
  ['domains/*/:own/events',    'kernel/ platform/db/events domains/*/:own/events/ domains/*/:own/schema domains/*/:own/pure'],
  ['domains/*/:own/work',      'kernel/ deps platform/(?!http/) domains/*/:own/:service domains/*/:own/store domains/*/*/events'],
  ['domains/*/:own/schema',    'kernel/ providers/(contract|provider-names) vaults/vault-names tax-providers/tax-provider-names domains/*/:own/pure domains/*/*/schema'],
  ['domains/*/:own/',          'kernel/ providers/(contract|provider-names|declines) vaults/(contract|vault-names) tax-providers/(contract|tax-provider-names) domains/*/:own/pure'], // Other files of a domain are pure.
  ['versions/',                'versions/ platform/http/versions'], // Conversions between API versions.
  ['deps\\.ts$',               'kernel/ platform/ providers/ vaults/'], // Domains import it, so it imports no domain.
  ['(config|access)\\.ts$',    'kernel/ platform/ config/'], // Domains import these too.
  ['config/',                  'kernel/ platform/ config/'], // Settings as data.
  ['',                         ''], // main, app, worker, compose and similar files may import everything.
] as const

/** The names that `:service` matches. A large domain has folders for its commands and their shared code. */
const service = 'service|commands|operations|queries'

const specialNames = `routes|schema|${service}|store|events|work`

/** Packages, and the modules that may import them. A package without a row may not be imported. */
// biome-ignore format: a table.
const packageRules = [
  { packages: /^(kysely|pg)$/,                         only: /^platform\/(db|engine)\/|^domains\/[^/]+\/[^/]+\/store(\.ts|\/)/ },
  { packages: /^@?fastify(\/|$)/,                      only: /^platform\/http\/|^app\.ts$/ },
  { packages: /^@nats-io\//,                           only: /^platform\/engine\// },
  { packages: /^(undici|node:(https|http2|tls|dns|dgram)(\/|$))/, only: /^platform\/outbound\// },
  { packages: /^csv-parse(\/|$)/,                         only: /^platform\/csv\.ts$/ },
  { packages: /^ipaddr\.js$/,                          only: /^platform\/outbound\// },
  // The server responds on sockets that it has accepted. Only platform/outbound may open sockets, because a
  // unit of work must not make outbound calls.
  { packages: /^node:(http|net)$/,                     only: /^platform\/(outbound\/|http\/connection-errors\.ts$)/ },
  { packages: /^typebox(\/compile)?$/,                      only: /^kernel\/shapes\.ts$|^platform\/(http\/|db\/events\.ts$)|^(tax-)?providers\/|\/(schema|routes)(\.ts$|\/)/ },
  { packages: /^temporal-polyfill$/,                   only: /^kernel\/calendar\.ts$/ },
  { packages: /^pino$/,                                only: /^platform\/log\.ts$/ },
  { packages: /^prom-client$/,                         only: /^platform\/metrics\.ts$/ },
  { packages: /^nodemailer$/,                          only: /^platform\/mail\.ts$/ },
  { packages: /^node:fs(\/|$)/,                        only: /^platform\/(db\/migrate|mail|disk|http\/static-files)\.ts$/ },
  { packages: /^node:(async_hooks|diagnostics_channel)$/, only: /^platform\/db\/unit-scope\.ts$/ },
  { packages: /^node:string_decoder$/,                 only: /^platform\/csv\.ts$/ },
  { packages: /^node:stream$/,                         only: /^platform\/(http\/stream|db\/connection-stream)\.ts$/ },
  { packages: /^node:worker_threads$/,                 only: /^(platform\/thread|thread-worker)\.ts$/ },
  { packages: /^node:timers(\/|$)/,                    only: /^platform\/|^main\.ts$/ },
  // The PDF code reads the fonts that it embeds, and no other files.
  { packages: /^(pdfkit|node:module)$/,                only: /^domains\/billing\/invoices\/(sheet|parsed-font)\.ts$/ },
  { packages: /^aws4fetch$/,                           only: /^platform\/object-storage\.ts$/ },
  { packages: /^hyparquet-writer$/,                    only: /^domains\/finance\/exports\/parquet\.ts$/ },
  // These two packages verify TOTP codes and responses of WebAuthn authenticators.
  { packages: /^otpauth$/,                             only: /^domains\/access\/sign-in\/totp\.ts$/ },
  { packages: /^@simplewebauthn\/server$/,             only: /^platform\/webauthn\.ts$/ },
  // Pure computation, without access to anything outside the process.
  { packages: /^node:(crypto|util|zlib)$/,             only: /./ },
]

test.each(sourceFiles())('$path imports only modules that its layer allows', ({ path, text }) => {
  expect(findForbiddenImports(path, importsOf(text))).toEqual([])
})

test('every domain is in the ordered list', () => {
  const domainNames = sourceFiles().flatMap(({ path }) => /^domains\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? [])

  expect(new Set(domainNames)).toEqual(new Set([...domains, ...eventDomains]))
})

// Tests of other packages may import the server, because clients are tested against it.
test('no other package imports the server', () => {
  const forbidden = repositoryTexts()
    .filter(({ path }) => /^packages\/(?!server\/)[^/]+\/src\/.*\.[cm]?[jt]sx?$/.test(path))
    .flatMap(({ path, text }) => importsOf(text, path).filter((name) => reachesServer(path, name)))

  expect(forbidden).toEqual([])
})

test('the guard finds source files and their imports', () => {
  // Otherwise the guard would pass without checking anything.
  const files = new Map(sourceFiles().map(({ path, text }) => [path, text]))

  expect([...files.keys()]).toEqual(expect.arrayContaining(['kernel/machine.ts', 'main.ts']))
  expect(importsOf(files.get('domains/payments/customers/store.ts') ?? '')).toEqual(
    expect.arrayContaining(['kysely', '../../../kernel/id.ts', './customer.ts']),
  )
  expect(
    importsOf("export * from './a.ts'\nexport type { B } from './b.ts'\nimport type C from './c.ts'"),
  ).toEqual(expect.arrayContaining(['./a.ts', './b.ts', './c.ts']))
  expect(importsOf("const load = () => import('./d.ts')")).toEqual(['./d.ts'])
})

// biome-ignore format: a table.
test.each([
  ['kernel/id.ts',                                '../platform/log.ts',                      'the kernel imports nothing above it'],
  ['platform/db/due.ts',                          '../http/pagination.ts',                   'the database is independent of HTTP'],
  ['platform/log.ts',                             '../domains/access/audit/service.ts',      'the platform imports no domain'],
  ['domains/payments/customers/routes.ts',        './store.ts',                              'a route calls a service function'],
  ['domains/payments/customers/store.ts',         './service.ts',                            'a store imports no service'],
  ['domains/payments/customers/store.ts',         '../../access/audit/store.ts',             'each domain writes its own tables'],
  ['domains/payments/customers/changes.ts',       './store.ts',                              'a pure file imports no store'],
  ['domains/payments/payments/rules/decide.ts',   '../operations/send.ts',                   'a folder without a row is pure too'],
  ['domains/payments/payments/store/payments.ts', '../commands/create-payment.ts',           'a store calls no command'],
  ['domains/payments/customers/service.ts',       '../payments/commands/create-payment.ts',  'the order of domains applies to commands too'],
  ['domains/payments/customers/service.ts',       '../../../platform/http/pagination.ts',    'a service is independent of HTTP'],
  ['domains/access/audit/service.ts',             '../../payments/customers/service.ts',     'a domain imports only domains before it'],
  ['domains/payments/customers/service.ts',       '../../webhooks/events/service.ts',        'no domain imports the event log'],
  ['domains/webhooks/events/service.ts',          '../../payments/customers/service.ts',     'the event log imports only events.ts of others'],
  ['domains/payments/customers/store.ts',         '../../../compose.ts',                     'no domain imports top-level modules'],
  ['versions/registry.ts',                        '../kernel/errors.ts',                     'versions import only version code'],
  ['deps.ts',                                     './domains/payments/customers/service.ts', 'deps.ts imports no domain'],
  ['domains/payments/customers/service.ts',       '../../../providers/registry.ts',          'a domain imports the provider contract, and no provider'],
  ['domains/payments/customers/service.ts',       'kysely',                                  'only stores use SQL'],
  ['domains/payments/customers/routes.ts',        'fastify',                                 'routes are independent of Fastify'],
  ['platform/http/admit.ts',                      'node:http',                               'only one file uses the HTTP listener'],
  ['platform/http/server.ts',                     'undici',                                  'only one folder opens outbound sockets'],
  ['kernel/id.ts',                                'left-pad',                                'the package has no row'],
])('%s may not import %s: %s', (path, name) => {
  expect(findForbiddenImports(path, [name])).toEqual([name])
})

test.each([
  ['packages/sdk/src/client.ts', '@switchyard/server'],
  ['packages/sdk/src/client.ts', '../../server/src/kernel/errors.ts'],
])('if %s imports %s, it is detected', (path, name) => {
  expect(reachesServer(path, name)).toBe(true)
})

function findForbiddenImports(path: string, names: readonly string[]): string[] {
  return names.filter((name) =>
    name.startsWith('.')
      ? !mayImport(path, posix.join(posix.dirname(path), name))
      : !packageRules.some(({ packages, only }) => packages.test(name) && only.test(path)),
  )
}

function mayImport(path: string, target: string): boolean {
  const ownName = /^(?:domains\/[^/]+|(?:tax-)?providers)\/([^/]+)\//.exec(path)?.[1] ?? null
  const row = layers.find(([importer]) => patternOf(importer, '[^/]+').test(path))
  const allowed = (row?.[1] ?? 'nothing')
    .split(' ')
    .some((entry) => patternOf(entry, ownName ?? '-').test(target))
  return allowed && respectsOrder(domainOf(path), target)
}

function respectsOrder(domain: string | null, target: string): boolean {
  const other = domainOf(target)
  if (domain === null || other === null || domain === other) return true
  if (eventDomains.includes(domain)) return /^domains\/[^/]+\/[^/]+\/events\.ts$/.test(target)
  return domains.includes(other) && domains.indexOf(other) < domains.indexOf(domain)
}

function domainOf(path: string): string | null {
  return /^domains\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? null
}

/**
 * Converts an entry of the table to a pattern for paths. A name without a slash matches `<name>.ts` and
 * `<name>/`.
 */
function patternOf(entry: string, ownName: string): RegExp {
  const pattern = entry
    .replaceAll(':own', ownName)
    .replaceAll(':service', `(${service})`)
    .replaceAll('*', '[^/]+')
    .replace(/pure$/, `(?!(${specialNames})(\\.ts$|/))[^/]+`)
  const end = /\w$/.test(entry) ? '(\\.ts$|/)' : ''
  return new RegExp(`^${pattern}${end}`)
}

function reachesServer(path: string, name: string): boolean {
  if (/^@switchyard\/server(\/|$)/.test(name)) return true
  return name.startsWith('.') && posix.join(posix.dirname(path), name).startsWith('packages/server/')
}
