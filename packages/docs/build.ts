// Builds the documentation: `npm run build:docs`. Other scripts call `buildIfStale`.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageBuild } from '../../scripts/pages/build.ts'
import { base } from './src/address.ts'
import { renderSite } from './src/site.ts'
import { readSources, rootPages } from './src/sources.ts'

const site = pageBuild(
  import.meta.dirname,
  [
    'build.ts',
    'src',
    '../../docs',
    '../dashboard/src/tokens.css',
    ...rootPages.map((page) => `../../${page}`),
  ],
  addPages,
)

export const buildIfStale = site.ifStale
/** Called by Vitest before the tests. */
export { buildIfStale as setup }

if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv.includes('--if-stale') ? site.ifStale() : site.always())

/** Adds the pages to `folder`, where Vite has built the scripts and styles. */
async function addPages(folder: string): Promise<void> {
  const list = join(folder, 'built.json')
  const files = JSON.parse(readFileSync(list, 'utf8')) as {
    readonly [source: string]: { readonly file: string }
  }
  const addressOf = (source: string): string => `${base}/${files[source]?.file}`
  const { pages, assets } = renderSite(readSources(), {
    style: addressOf('src/style/style.css'),
    script: addressOf('src/client/main.ts'),
    theme: addressOf('src/client/theme.ts'),
  })
  for (const [path, content] of pages) write(join(folder, 'pages', path), content)
  for (const [name, text] of assets) write(join(folder, 'assets', name), text)
  rmSync(list)
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
