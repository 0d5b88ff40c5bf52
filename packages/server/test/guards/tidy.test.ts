// Rules that no linter checks: where a construct may be used, and which content no file may have.

import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryPaths, repositoryTexts, sourceFiles, withoutComments } from './support/repository.ts'

const domainFolder = 'packages/server/src/domains/'

/**
 * Each row defines the only files that may use a construct, and the reason. Comments may mention it anywhere.
 */
// biome-ignore format: a table.
const rules = [
  { pattern: /process\.env/,              only: /^config\.ts$/,                   because: 'configuration is read and typed once' },
  { pattern: /new Date\(\)|\bDate\.now\b/, only: /^kernel\/clock\.ts$/,           because: 'tests set the time manually' },
  // These stores run statements outside a unit of work, so they have no tx.now.
  { pattern: /(?<![.\w])now\(\)/,         only: /^platform\/(db|engine)\/|^domains\/(access\/(api-tokens|request-log)\/store|webhooks\/deliveries\/store\/lanes)\.ts$/, because: 'a unit of work has one time' },
  { pattern: /Math\.random/,              only: /^kernel\/backoff\.ts$/,          because: 'ids and secrets need secure random numbers' },
  // The files of deliveries run background work, which has no caller that could handle an error.
  { pattern: /\bcatch\b/,                 only: /^(platform|(tax-)?providers)\/|^(main|compose|identify|readiness|kernel\/calendar|domains\/webhooks\/deliveries\/service\/(lane-dispatcher|leases|outbox|refills))\.ts$/, because: 'errors are handled where they become responses' },
  { pattern: /(?<!await |=> )\bimport\(|\bimport\((?!')/, only: /^$/,                             because: 'the layer guard checks only imports of a literal' },
  { pattern: /\bprocess\.exit/,           only: /^main\.ts$|^platform\/crashpoint\.ts$/, because: 'the process must end in one place' },
  { pattern: /\bconsole\./,               only: /^$/,                             because: 'the log has levels and redacts secrets' },
  { pattern: /\boffset\b|count\(\*\)/i,   only: /^domains\/finance\/exports\/parquet\.ts$/, because: 'cost must not grow with the number of rows' },
]

test.each(sourceFiles())('$path uses restricted constructs only where they are allowed', ({ path, text }) => {
  expect(findViolations(path, text)).toEqual([])
})

/** The names of these files explain their responsibility. Every other file needs a comment. */
const explainedByName = /^domains\/[^/]+\/[^/]+\/(routes|schema|store|events|work)\.ts$|\.generated\.ts$/

test.each(sourceFiles().filter(({ path }) => !explainedByName.test(path)))(
  '$path starts with a comment about its responsibility, unless it is short',
  ({ text }) => {
    expect(countLines(text) <= 40 || /^(\/\*\*|\/\/)/.test(text)).toBe(true)
  },
)

test('no literal is spread into an object or an array', () => {
  const spread = /\.\.\.\(?(\{|\[[^[\]]*\](,|\]|$| as const\)(?!\.)))/
  const found = repositoryTexts()
    .filter(({ path }) => /(?<!\.generated)\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (spread.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    )

  expect(found).toEqual([])
})

test('files and folders have specific names', () => {
  const names = /^(utils?|helpers?|common|misc|types|constants|managers?)(\.[cm]?[jt]sx?)?$/i
  const bad = repositoryPaths().filter((path) => path.split('/').some((name) => names.test(name)))

  expect(bad).toEqual([])
})

test('there are no barrel files except the entry point of a package', () => {
  const barrels = repositoryPaths().filter((path) => posix.basename(path) === 'index.ts')

  expect(barrels.filter((path) => !/^packages\/[^/]+\/src\/index\.ts$/.test(path))).toEqual([])
  expect(barrels.filter((path) => path.startsWith('packages/server/'))).toEqual([])
})

test('a domain without a README has only the standard files and folders', () => {
  const withReadme = domainsWithReadme()
  const unexpected = domainPaths()
    .filter((path) => !withReadme.some((domain) => path.startsWith(`${domain}/`)))
    .filter(
      (path) => !/^[a-z-]+\/[a-z-]+\/((schema|service|store|events|plan)\/)?[a-z-]+(\.test)?\.ts$/.test(path),
    )

  expect(unexpected).toEqual([])
})

test('a domain with a README may have other folders, one level deep', () => {
  const withReadme = domainsWithReadme()
  const unexpected = domainPaths()
    .filter((path) => withReadme.some((domain) => path.startsWith(`${domain}/`)))
    .filter((path) => !/^[a-z-]+\/[a-z-]+\/(README\.md|([a-z-]+\/)?[a-z-]+(\.test)?\.ts)$/.test(path))

  expect(withReadme).toEqual(expect.arrayContaining(['payments/payments', 'routing/payment-routes']))
  expect(unexpected).toEqual([])
})

test.each(domainsWithReadme())('the README of %s lists each of its files exactly once', (domain) => {
  const readme =
    repositoryTexts().find(({ path }) => path === `${domainFolder}${domain}/README.md`)?.text ?? ''
  const listed = [...readme.matchAll(/^[|-] `([a-z/-]+(?:\.test)?\.ts)`/gm)].map(
    ([, path]) => `${domain}/${path}`,
  )
  const files = domainPaths().filter((path) => path.startsWith(`${domain}/`) && path.endsWith('.ts'))

  expect(listed.toSorted()).toEqual(files.toSorted())
})

/** The files of all domains, by path under their folder, without the README of all domains. */
function domainPaths(): string[] {
  return repositoryPaths()
    .filter((path) => path.startsWith(domainFolder))
    .map((path) => path.slice(domainFolder.length))
    .filter((path) => path !== 'README.md')
}

/** The domains that describe their folders in a README, as `<area>/<domain>`. */
function domainsWithReadme(): string[] {
  return domainPaths().flatMap((path) => /^([a-z-]+\/[a-z-]+)\/README\.md$/.exec(path)?.[1] ?? [])
}

/**
 * Text that no file of the repository may contain. The patterns do not match themselves.
 */
// biome-ignore format: a table.
const forbiddenTexts = [
  { pattern: /(?<![\w.@:}-])\/(?:work|root|home|tmp)\/\w/, because: 'an absolute path exists only on one machine' },
  { pattern: /\.\.\/shared\b/,                             because: 'the repository must be self-contained' },
  { pattern: /\bTO[D]O(?!\(#\d+\))\b/,                     because: 'unfinished work needs an issue: TODO(#123)' },
  { pattern: /^(?:<{7}|>{7}) /m,                           because: 'a merge conflict is unresolved' },
]

test('no file contains a forbidden string', () => {
  const found = repositoryTexts().flatMap(({ path, text }) =>
    findForbidden(text).map((because) => `${path}: ${because}`),
  )

  expect(found).toEqual([])
})

test('the lockfile contains no URL of a registry, so that everyone can use their own', () => {
  const lockfile = repositoryTexts().find(({ path }) => path === 'package-lock.json')?.text ?? ''

  expect(lockfile).toContain('"integrity": "sha512-')
  expect(lockfile.match(/"resolved": "https?:[^"]+/g)).toBeNull()
})

test('every package in the lockfile has an integrity hash, except tools of other platforms', () => {
  const text = repositoryTexts().find(({ path }) => path === 'package-lock.json')?.text ?? '{}'
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> }
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  const unchecked = installed.filter(([, { integrity }]) => integrity === undefined)

  expect(installed.length).toBeGreaterThan(400)
  expect(unchecked.filter((entry) => !isToolOfAnotherPlatform(entry)).map(([path]) => path)).toEqual([])
  // An update of these tools must not add further packages without a hash.
  expect(unchecked.length).toBeLessThanOrEqual(67)
})

type LockedPackage = { link?: boolean; integrity?: string; optional?: boolean; os?: string[]; cpu?: string[] }

/** The registry with which the lockfile was created lacks these packages, so their hashes are unknown. */
const toolsOfOtherPlatforms =
  /node_modules\/@(biomejs\/cli|oxc-parser\/binding|rolldown\/binding|tailwindcss\/oxide)-[a-z0-9-]+$/

function isToolOfAnotherPlatform([path, { optional, os, cpu }]: [string, LockedPackage]): boolean {
  return toolsOfOtherPlatforms.test(path) && optional === true && (os ?? cpu) !== undefined
}

test('no test is skipped or focused', () => {
  const testFiles = repositoryTexts().filter(({ path }) => path.endsWith('.test.ts'))
  const skippedOrFocused =
    /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|\b[fx](?:it|describe)\(/
  const found = testFiles
    .filter(({ text }) => skippedOrFocused.test(withoutComments(text)))
    .map(({ path }) => path)

  expect(testFiles.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

test('the guard finds the files of the repository', () => {
  expect(repositoryPaths()).toEqual(expect.arrayContaining(['package.json', 'packages/server/src/main.ts']))
  expect(sourceFiles().map(({ path }) => path)).toContain('kernel/machine.ts')
})

// biome-ignore format: a table.
test.each([
  ['domains/payments/customers/service.ts', 'const at = new Date()'],
  ['domains/payments/customers/store.ts',   'sql`select now()`'],
  ['platform/log.ts',                       'process.env.LOG_LEVEL'],
  ['domains/payments/customers/service.ts', 'try { f() } catch { g() }'],
  ['platform/http/server.ts',               "let socket: import('node:net').Socket"],
  ['kernel/id.ts',                          'Math.random()'],
  ['domains/payments/customers/store.ts',   'sql`select count(*) from customers`'],
])('in %s, %s is detected', (path, text) => {
  expect(findViolations(path, text)).toHaveLength(1)
  expect(findViolations(path, `// ${text}`)).toEqual([])
})

// The strings are concatenated, because this guard also checks this file.
test.each([`see /${'work'}/main`, `(/${'home'}/ada)`, `import '..${'/shared'}/x'`, `${'TO'}DO later`])(
  '%s is detected',
  (text) => {
    expect(findForbidden(text)).toHaveLength(1)
  },
)

test.each([
  './platform/engine/work.ts',
  'TODO(#12): later',
  '/workspaces/1',
  'https://example.com/home/page',
])('%s is accepted', (text) => {
  expect(findForbidden(text)).toEqual([])
})

function findViolations(path: string, text: string): string[] {
  const code = withoutComments(text)
  return rules
    .filter(({ pattern, only }) => pattern.test(code) && !only.test(path))
    .map(({ because }) => because)
}

function findForbidden(text: string): string[] {
  return forbiddenTexts.filter(({ pattern }) => pattern.test(text)).map(({ because }) => because)
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}
