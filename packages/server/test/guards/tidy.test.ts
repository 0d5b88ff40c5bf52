// What no linter knows: where a thing may be said, how long a file of its kind may be, and what may not
// stand in the repository at all.

import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryPaths, repositoryTexts, sourceFiles, withoutComments } from './support/repository.ts'

/** Each row says where a thing may be said, and why only there. Comments may say it anywhere. */
// biome-ignore format: a table.
const rules = [
  { says: /process\.env/,              only: /^config\.ts$/,                   because: 'configuration is read and typed once' },
  { says: /new Date\(\)|\bDate\.now\b/, only: /^kernel\/clock\.ts$/,           because: 'tests turn time by hand' },
  // These stores write and read outside a unit of work: there is no instant of a unit to take instead.
  { says: /(?<![.\w])now\(\)/,         only: /^platform\/(db|engine)\/|^domains\/((api-tokens|request-log)\/store|deliveries\/store\/lanes)\.ts$/, because: 'a unit of work has one instant' },
  { says: /Math\.random/,              only: /^kernel\/backoff\.ts$/,          because: 'ids and secrets need real randomness' },
  // The last ones are where a process ends what it began itself, with nobody above to tell.
  { says: /\bcatch\b/,                 only: /^(platform|providers)\/|^(main|compose|identify|readiness|kernel\/calendar|domains\/deliveries\/service\/(courier|leases|outbox|refills))\.ts$/, because: 'errors end where they are rendered' },
  { says: /\bimport\(/,                only: /^$/,                             because: 'the layer guard reads static imports' },
  { says: /\bprocess\.exit/,           only: /^main\.ts$|^platform\/crashpoint\.ts$/, because: 'one place ends the process' },
  { says: /\bconsole\./,               only: /^$/,                             because: 'the log has levels and hides secrets' },
  { says: /\boffset\b|count\(\*\)/i,   only: /^$/,                             because: 'cost must not grow with the rows' },
]

test.each(sourceFiles())('$path is tidy', ({ path, text }) => {
  expect(brokenBy(path, text)).toEqual([])
})

/** Lines at most, by the kind of file: the first row that fits. At its ceiling a service splits by verb. */
// biome-ignore format: a table.
const ceilings = [
  [/\/routes\.ts$/,              300],
  [/\/schema(\.ts$|\/)/,         300],
  [/\/service(\.ts$|\/)/,        400],
  [/\/store(\.ts$|\/)/,          400],
  [/^domains\/[^/]+\/(events|work)\.ts$/, 100],
  // One entry after another, and nothing to read between them.
  [/^kernel\/errors\.ts$/,       400],
  [/\.generated\.ts$/,      Infinity],
  [/./,                          250],
] as const

test.each(sourceFiles())('$path is as short as its kind allows', ({ path, text }) => {
  expect(linesOf(text)).toBeLessThanOrEqual(ceilingOf(path))
})

/** Its name says what such a file answers for; every other one has to say it itself. */
const explainedByName = /^domains\/[^/]+\/(routes|schema|store|events|work)\.ts$|\.generated\.ts$/

test.each(sourceFiles().filter(({ path }) => !explainedByName.test(path)))(
  '$path says at its top what it answers for',
  ({ text }) => {
    expect(linesOf(text) <= 40 || /^(\/\*\*|\/\/)/.test(text)).toBe(true)
  },
)

test('files and folders are named for what they hold', () => {
  const names = /^(utils?|helpers?|common|misc|types|constants|managers?)(\.[cm]?[jt]sx?)?$/i
  const bad = repositoryPaths().filter((path) => path.split('/').some((name) => names.test(name)))

  expect(bad).toEqual([])
})

test('there are no barrels but the front of a package', () => {
  const barrels = repositoryPaths().filter((path) => posix.basename(path) === 'index.ts')

  expect(barrels.filter((path) => !/^packages\/[^/]+\/src\/index\.ts$/.test(path))).toEqual([])
  expect(barrels.filter((path) => path.startsWith('packages/server/'))).toEqual([])
})

test('a domain is a flat folder: files with rights, pure files, tests', () => {
  const odd = repositoryPaths()
    .filter((path) => path.startsWith('packages/server/src/domains/'))
    .map((path) => path.slice('packages/server/src/domains/'.length))
    .filter((path) => !/^[a-z-]+\/((schema|service|store|events|plan)\/)?[a-z-]+(\.test)?\.ts$/.test(path))

  expect(odd).toEqual([])
})

/** No file of the repository may hold these. The patterns are written so that they do not find themselves. */
// biome-ignore format: a table.
const unwanted = [
  { says: /(?<![\w.@:}-])\/(?:work|root|home|tmp)\/\w/, because: 'a path of one machine means nothing on another' },
  { says: /\.\.\/shared\b/,                             because: 'the repository stands on its own' },
  { says: /\bTO[D]O(?!\(#\d+\))\b/,                     because: 'a wish needs an issue: TODO(#123)' },
  { says: /^(?:<{7}|>{7}) /m,                           because: 'a conflict was left unresolved' },
]

test('no file holds what belongs elsewhere', () => {
  const found = repositoryTexts().flatMap(({ path, text }) =>
    unwantedIn(text).map((because) => `${path}: ${because}`),
  )

  expect(found).toEqual([])
})

test('the lockfile names no registry, so that everyone may use their own', () => {
  const lockfile = repositoryTexts().find(({ path }) => path === 'package-lock.json')?.text ?? ''

  expect(lockfile).toContain('"integrity": "sha512-')
  expect(lockfile.match(/"resolved": "https?:[^"]+/g)).toBeNull()
})

test('no test is skipped, and none runs alone', () => {
  const testFiles = repositoryTexts().filter(({ path }) => path.endsWith('.test.ts'))
  const left = /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|\b[fx](?:it|describe)\(/
  const found = testFiles.filter(({ text }) => left.test(withoutComments(text))).map(({ path }) => path)

  expect(testFiles.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

test('the guard reads real files', () => {
  expect(repositoryPaths()).toEqual(expect.arrayContaining(['package.json', 'packages/server/src/main.ts']))
  expect(sourceFiles().map(({ path }) => path)).toContain('kernel/machine.ts')
})

// biome-ignore format: a table.
test.each([
  ['domains/customers/service.ts', 'const at = new Date()'],
  ['domains/customers/store.ts',   'sql`select now()`'],
  ['platform/log.ts',              'process.env.LOG_LEVEL'],
  ['domains/customers/service.ts', 'try { f() } catch { g() }'],
  ['platform/http/server.ts',      "let socket: import('node:net').Socket"],
  ['kernel/id.ts',                 'Math.random()'],
  ['domains/customers/store.ts',   'sql`select count(*) from customers`'],
])('in %s, %s would be noticed', (path, text) => {
  expect(brokenBy(path, text)).toHaveLength(1)
  expect(brokenBy(path, `// ${text}`)).toEqual([])
})

// The texts are put together here, since this file is read by its own guard like any other.
test.each([`see /${'work'}/main`, `(/${'home'}/ada)`, `import '..${'/shared'}/x'`, `${'TO'}DO later`])(
  '%s would be noticed',
  (text) => {
    expect(unwantedIn(text)).toHaveLength(1)
  },
)

test.each([
  './platform/engine/work.ts',
  'TODO(#12): later',
  '/workspaces/1',
  'https://example.com/home/page',
])('%s is fine', (text) => {
  expect(unwantedIn(text)).toEqual([])
})

function brokenBy(path: string, text: string): string[] {
  const code = withoutComments(text)
  return rules.filter(({ says, only }) => says.test(code) && !only.test(path)).map(({ because }) => because)
}

function unwantedIn(text: string): string[] {
  return unwanted.filter(({ says }) => says.test(text)).map(({ because }) => because)
}

function ceilingOf(path: string): number {
  return ceilings.find(([kind]) => kind.test(path))?.[1] ?? 0
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length
}
