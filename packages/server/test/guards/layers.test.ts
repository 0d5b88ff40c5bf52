// Who may import whom. Folders and six file names carry rights; this is where they are written down and
// checked, types included. It reads syntax alone, so it needs no build and cannot be misled by one.

import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, repositoryTexts, sourceFiles } from './support/repository.ts'

/** Lowest first: a domain uses those before it, never those after it. */
const domains = [
  ...['audit', 'organizations', 'sessions', 'people', 'invitations', 'sign-in', 'api-tokens', 'request-log'],
  ...['webhook-endpoints', 'deliveries', 'webhook-recoveries'],
  ...[
    'test-clocks',
    'customers',
    'provider-accounts',
    'payment-routes',
    'route-simulations',
    'card-budgets',
    'card-tokens',
    'payment-methods',
    'payments',
    'provider-webhooks',
    'payment-links',
    'checkout-sessions',
  ],
  ...['products', 'dunning-policies', 'invoices', 'subscriptions', 'dunning-campaigns'],
  // They only look at what the others have written.
  ...['search', 'attention', 'reports', 'system'],
]
/** No business domain imports these, and they know the others by `events.ts` alone. */
const beside = ['events']

/**
 * What each file may import: the first row that fits. `:own` is the folder of the importing file, `pure`
 * any file of a domain whose name carries no right, `*` one name.
 */
// biome-ignore format: a table.
const layers = [
  ['kernel/',              'kernel/'],
  ['platform/http/',       'kernel/ platform/'],
  ['platform/',            'kernel/ platform/(?!http/)'],
  ['providers/:own/',      'kernel/ providers/(contract|declines|read) providers/:own/'],
  ['providers/',           'kernel/ platform/(outbound/|log) providers/'],
  ['domains/:own/routes',  'kernel/ deps platform/http/ domains/:own/schema domains/:own/service domains/:own/pure'],
  ['domains/:own/service', 'kernel/ deps platform/(?!http/) providers/(contract|terms|declines|perform|evidence|incoming) domains/:own/(?!(routes|work)\\.ts) domains/*/service'],
  ['domains/:own/store',   'kernel/ platform/db/ providers/contract domains/:own/store/ domains/:own/pure'],
  ['domains/:own/events',  'kernel/ platform/db/events domains/:own/events/ domains/:own/schema domains/:own/pure'],
  ['domains/:own/work',    'kernel/ deps platform/(?!http/) domains/:own/service domains/:own/store domains/*/events'],
  ['domains/:own/schema',  'kernel/ providers/contract domains/:own/pure domains/*/schema'],
  ['domains/:own/',        'kernel/ providers/(contract|declines) domains/:own/pure'], // It decides something, and is pure.
  ['versions/',            'versions/ platform/http/versions'], // Changes between shapes of the wire, and nothing else.
  ['deps\\.ts$',           'kernel/ platform/ providers/'],     // Domains import it, so it imports no domain.
  ['(config|access)\\.ts$', 'kernel/ platform/ config/'],       // The same.
  ['config/',              'kernel/ platform/ config/'],        // Settings as data.
  ['',                     ''],                                 // main, app, worker, compose and the like: all.
] as const

const rights = 'routes|schema|service|store|events|work'

/** Packages, and who may speak to them. A package without a row may be spoken to by nobody. */
// biome-ignore format: a table.
const speakers = [
  { packages: /^(kysely|pg)$/,                         only: /^platform\/(db|engine)\/|^domains\/[^/]+\/store(\.ts|\/)/ },
  { packages: /^@?fastify(\/|$)/,                      only: /^platform\/http\/|^app\.ts$/ },
  { packages: /^@nats-io\//,                           only: /^platform\/engine\// },
  { packages: /^(undici|node:(https|http2|tls|dns|dgram)(\/|$))/, only: /^platform\/outbound\// },
  { packages: /^ipaddr\.js$/,                          only: /^platform\/outbound\// },
  // The server answers on sockets it was given; a unit that called out through one would not be committed.
  { packages: /^node:(http|net)$/,                     only: /^platform\/(outbound\/|http\/hang-up\.ts$)/ },
  { packages: /^typebox(\/compile)?$/,                      only: /^kernel\/shapes\.ts$|^platform\/(http\/|db\/events\.ts$)|^providers\/|\/(schema|routes)(\.ts$|\/)/ },
  { packages: /^temporal-polyfill$/,                   only: /^kernel\/calendar\.ts$/ },
  { packages: /^pino$/,                                only: /^platform\/log\.ts$/ },
  { packages: /^prom-client$/,                         only: /^platform\/metrics\.ts$/ },
  { packages: /^nodemailer$/,                          only: /^platform\/mail\.ts$/ },
  { packages: /^node:fs(\/|$)/,                        only: /^platform\/(db\/migrate|mail|disk|http\/built-files)\.ts$/ },
  { packages: /^node:(async_hooks|diagnostics_channel)$/, only: /^platform\/db\/open-unit\.ts$/ },
  { packages: /^node:stream$/,                         only: /^platform\/(http\/stream|db\/bound-driver)\.ts$/ },
  { packages: /^node:timers(\/|$)/,                    only: /^platform\/|^main\.ts$/ },
  // It reads the fonts that it puts into documents, and nothing else.
  { packages: /^(pdfkit|node:module)$/,                only: /^domains\/invoices\/sheet\.ts$/ },
  // One reads codes, the other the answers of devices.
  { packages: /^otpauth$/,                             only: /^domains\/sign-in\/totp\.ts$/ },
  { packages: /^@simplewebauthn\/server$/,             only: /^platform\/webauthn\.ts$/ },
  // They compute, and reach nothing outside the process.
  { packages: /^node:(crypto|util|zlib)$/,             only: /./ },
]

test.each(sourceFiles())('$path keeps to its layer', ({ path, text }) => {
  expect(straysOf(path, importsOf(text))).toEqual([])
})

test('every domain has its place in the order', () => {
  const found = sourceFiles().flatMap(({ path }) => /^domains\/([^/]+)\//.exec(path)?.[1] ?? [])

  expect(new Set(found)).toEqual(new Set([...domains, ...beside]))
})

// Their tests may: a client is best tested against the real thing.
test('no other package imports the server', () => {
  const strays = repositoryTexts()
    .filter(({ path }) => /^packages\/(?!server\/)[^/]+\/src\/.*\.[cm]?[jt]sx?$/.test(path))
    .flatMap(({ path, text }) => importsOf(text, path).filter((name) => reachesServer(path, name)))

  expect(strays).toEqual([])
})

test('the guard reads real files, and sees what they import', () => {
  // A checker that finds no file is always content.
  const files = new Map(sourceFiles().map(({ path, text }) => [path, text]))

  expect([...files.keys()]).toEqual(expect.arrayContaining(['kernel/machine.ts', 'main.ts']))
  expect(importsOf(files.get('domains/customers/store.ts') ?? '')).toEqual(
    expect.arrayContaining(['kysely', '../../kernel/id.ts', './customer.ts']),
  )
  expect(
    importsOf("export * from './a.ts'\nexport type { B } from './b.ts'\nimport type C from './c.ts'"),
  ).toEqual(expect.arrayContaining(['./a.ts', './b.ts', './c.ts']))
})

// biome-ignore format: a table.
test.each([
  ['kernel/id.ts',                 '../platform/log.ts',                 'the kernel knows nobody'],
  ['platform/db/due.ts',           '../http/pages.ts',                   'the database does not know HTTP'],
  ['platform/log.ts',              '../domains/audit/service.ts',        'the platform knows no domain'],
  ['domains/customers/routes.ts',  './store.ts',                         'a route calls a verb'],
  ['domains/customers/store.ts',   './service.ts',                       'a store decides nothing'],
  ['domains/customers/store.ts',   '../audit/store.ts',                  'each domain writes its own tables'],
  ['domains/customers/changes.ts', './store.ts',                         'a pure file reaches nothing'],
  ['domains/customers/service.ts', '../../platform/http/pages.ts',       'a verb does not know HTTP'],
  ['domains/audit/service.ts',     '../customers/service.ts',            'a domain uses those before it'],
  ['domains/customers/service.ts', '../events/service.ts',               'no domain imports the event log'],
  ['domains/events/service.ts',    '../customers/service.ts',            'the event log knows the others by events.ts'],
  ['domains/customers/store.ts',   '../../compose.ts',                   'nobody reaches up'],
  ['versions/registry.ts',         '../kernel/errors.ts',                'versions change shapes alone'],
  ['deps.ts',                      './domains/customers/service.ts',     'deps.ts knows no domain'],
  ['domains/customers/service.ts', '../../providers/registry.ts',        'a domain knows what a provider is, and none of them'],
  ['domains/customers/service.ts', 'kysely',                             'SQL is for stores'],
  ['domains/customers/routes.ts',  'fastify',                            'an operation is data'],
  ['platform/http/admit.ts',       'node:http',                          'one file holds the listener'],
  ['platform/http/server.ts',      'undici',                             'one folder opens sockets'],
  ['kernel/id.ts',                 'left-pad',                           'a package without a row'],
])('%s may not import %s: %s', (path, name) => {
  expect(straysOf(path, [name])).toEqual([name])
})

test.each([
  ['packages/sdk/src/client.ts', '@switchyard/server'],
  ['packages/sdk/src/client.ts', '../../server/src/kernel/errors.ts'],
])('%s importing %s would be noticed', (path, name) => {
  expect(reachesServer(path, name)).toBe(true)
})

function straysOf(path: string, names: readonly string[]): string[] {
  return names.filter((name) =>
    name.startsWith('.')
      ? !mayImport(path, posix.join(posix.dirname(path), name))
      : !speakers.some(({ packages, only }) => packages.test(name) && only.test(path)),
  )
}

function mayImport(path: string, target: string): boolean {
  const own = /^(?:domains|providers)\/([^/]+)\//.exec(path)?.[1] ?? null
  const row = layers.find(([who]) => patternOf(who, '[^/]+').test(path))
  const allowed = (row?.[1] ?? 'nothing').split(' ').some((what) => patternOf(what, own ?? '-').test(target))
  return allowed && keepsOrder(domainOf(path), target)
}

function keepsOrder(own: string | null, target: string): boolean {
  const other = domainOf(target)
  if (own === null || other === null || own === other) return true
  if (beside.includes(own)) return target === `domains/${other}/events.ts`
  return domains.includes(other) && domains.indexOf(other) < domains.indexOf(own)
}

function domainOf(path: string): string | null {
  return /^domains\/([^/]+)\//.exec(path)?.[1] ?? null
}

/** A place of the table as a pattern of paths; a name that is no folder stands for `<name>.ts` or `<name>/`. */
function patternOf(place: string, own: string): RegExp {
  const named = place
    .replaceAll(':own', own)
    .replaceAll('*', '[^/]+')
    .replace(/pure$/, `(?!(${rights})(\\.ts$|/))[^/]+`)
  const end = /\w$/.test(place) ? '(\\.ts$|/)' : ''
  return new RegExp(`^${named}${end}`)
}

function reachesServer(path: string, name: string): boolean {
  if (/^@switchyard\/server(\/|$)/.test(name)) return true
  return name.startsWith('.') && posix.join(posix.dirname(path), name).startsWith('packages/server/')
}
