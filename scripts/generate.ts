// `npm run generate`: writes every generated file. `--check` writes nothing and fails if any of them is stale.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { documentOf } from '../packages/server/src/app.ts'
import type { Deps } from '../packages/server/src/deps.ts'
import { operationsOf } from '../packages/server/src/operations.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { asOwner } from '../packages/server/src/platform/db/owner.ts'
import { nounsOf, renderCliPage, renderNouns } from './generate/cli.ts'
import { compactJson } from './generate/compact-json.ts'
import { renderConfiguration } from './generate/configuration.ts'
import { renderCurrencies } from './generate/currencies.ts'
import { renderDiagrams } from './generate/diagrams/render-diagrams.ts'
import { followReferences } from './generate/follow-references.ts'
import { renderBoard } from './generate/grafana/board.ts'
import { boards } from './generate/grafana/boards.ts'
import { completeLockfile } from './generate/lockfile.ts'
import { renderMetricsPage } from './generate/metrics.ts'
import { renderPrometheusRule } from './generate/prometheus-rule.ts'
import { loadConnectors } from './generate/providers/documented-connector.ts'
import { renderProviderPages } from './generate/providers/pages.ts'
import { generatedNote, renderReference } from './generate/reference.ts'
import { declarationsOf } from './generate/sdk-api/declarations.ts'
import { renderReport } from './generate/sdk-api/report.ts'
import { renderSdkTypes } from './generate/sdk-types.ts'
import { renderTables } from './generate/tables.ts'
import { startPostgres } from './services/postgres.ts'

const root = resolve(import.meta.dirname, '..')
const reference = 'docs/reference'
const diagramFolder = 'docs/concepts/pictures'
const providerFolder = 'docs/providers'
const check = process.argv.includes('--check')

const files = await render()
const stale = [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path)
const orphaned = [reference, diagramFolder, providerFolder]
  .flatMap(filesIn)
  .filter((path) => !files.has(path))

if (check && stale.length + orphaned.length > 0) {
  console.error(
    `Stale generated files: ${[...stale, ...orphaned].join(', ')}. Run \`npm run generate\` and commit the result.`,
  )
  process.exitCode = 1
}
if (!check) {
  for (const path of stale) write(path, files.get(path) as string)
  for (const path of orphaned) rmSync(join(root, path))
  console.log(
    stale.length + orphaned.length === 0
      ? 'All generated files are current.'
      : [...stale, ...orphaned].join('\n'),
  )
}

async function render(): Promise<Map<string, string>> {
  // The operations are only inspected and never called, so they need no dependencies.
  const operations = operationsOf({} as Deps)
  const document = documentOf(operations)
  const resolvedDocument = followReferences(document)
  const pages = [...renderReference(operations, resolvedDocument)].map(
    ([path, text]) => [`${reference}/${path}`, text] as const,
  )
  const nouns = nounsOf(resolvedDocument)
  const [types, currencies] = [renderSdkTypes(resolvedDocument), renderCurrencies()]
  const rules = ['recording', 'alerts'].map((name) => read(`deploy/prometheus/${name}.yaml`) ?? '')
  return new Map([
    ['packages/server/src/platform/db/tables.generated.ts', await tablesFromMigrations()],
    ['openapi.json', compactJson(document)],
    ['packages/sdk/src/types.generated.ts', types],
    ['packages/sdk/src/currencies.generated.ts', currencies],
    ['packages/sdk/api/current.txt', sdkReport({ types, currencies })],
    ['packages/cli/src/nouns.generated.ts', renderNouns(nouns)],
    [`${reference}/cli.md`, renderCliPage(nouns)],
    [`${reference}/metrics.md`, generatedNote + (await renderMetricsPage())],
    ...boards.map((board) => [`deploy/grafana/${board.uid}.json`, renderBoard(board)] as const),
    ['deploy/kubernetes/components/prometheus/rules.yaml', renderPrometheusRule(rules)],
    [`${reference}/configuration.md`, renderConfiguration()],
    ['package-lock.json', completeLockfile(read('package-lock.json') ?? '{}')],
    ...pages,
    ...[...renderDiagrams()].map(([name, text]) => [`${diagramFolder}/${name}`, text] as const),
    ...[...renderProviderPages(await loadConnectors())].map(
      ([name, text]) => [`${providerFolder}/${name}`, text] as const,
    ),
  ])
}

/** Uses the types that are about to be written, so that one run updates everything. */
function sdkReport({ types, currencies }: { types: string; currencies: string }): string {
  const { version } = JSON.parse(read('packages/sdk/package.json') ?? '{}')
  const generated = { 'types.generated.ts': types, 'currencies.generated.ts': currencies }
  return renderReport(version, declarationsOf(new Map(Object.entries(generated))))
}

async function tablesFromMigrations(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-generate-'))
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } })
  try {
    await migrate(postgres.url)
    return await asOwner(postgres.url, renderTables)
  } finally {
    await postgres.stop('immediate')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The files in a folder that only contains generated files. */
function filesIn(path: string): string[] {
  const folder = join(root, path)
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function read(path: string): string | null {
  const full = join(root, path)
  return existsSync(full) ? readFileSync(full, 'utf8') : null
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
